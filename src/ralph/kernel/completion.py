"""Completion criteria: filled up from what was given and from the role's defaults, checked, and as plain data."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from ralph.kernel.task_rules import read_promise
from ralph.model.tasks import CompletionCriteria, TaskCompletionSpec
from ralph.model.verification import (
    ALL_CRITERIA,
    BadVerification,
    External,
    Method,
    MultiStage,
    Verification,
    read_verification,
)

MOST_ITERATIONS = 1_000_000
ACCEPTANCE: dict[str, Any] = {"check_for": ALL_CRITERIA}
NEEDS_NOTHING: dict[Method, dict[str, Any]] = {
    "string_match": {},
    "semantic": ACCEPTANCE,
    "multi_stage": {"stages": [{"name": "acceptance", "method": "semantic", "config": ACCEPTANCE}]},
}
"""The config of a method that was asked for by name alone. `external` has none: nobody can guess the command."""
TELLING: dict[str, Method] = {
    "command": "external",
    "stages": "multi_stage",
    "check_for": "semantic",
    "negative_patterns": "semantic",
}
"""Keys of a config that say which method is meant."""


class RoleDefaults(Struct, frozen=True):
    """What the settings say of a role."""

    promise: str = "STAGE_COMPLETE"
    verification: Method = "string_match"
    verification_config: dict[str, Any] = field(default_factory=dict[str, Any])
    max_iterations: int = 10


class GivenCriteria(Struct, frozen=True):
    """What a person wrote of a role's criteria: as much as they liked."""

    promise: str | None = None
    description: str | None = None
    verification_method: Method | None = None
    verification_config: dict[str, Any] = field(default_factory=dict[str, Any])
    max_iterations: Annotated[int, Meta(ge=1, le=MOST_ITERATIONS)] | None = None


def default_criteria(role_name: str, role: RoleDefaults, title: str, acceptance: tuple[str, ...]) -> CompletionCriteria:
    """Of a role for which the task says nothing. No acceptance criteria: the task says nothing at all."""
    method, config = _default_check(role)
    if not acceptance:
        method, config = "string_match", {}
    elif not role.verification_config:
        method, config = "semantic", ACCEPTANCE
    return CompletionCriteria(role.promise, default_description(role_name, title), method, config)


def filled(role_name: str, role: RoleDefaults, title: str, given: GivenCriteria) -> CompletionCriteria:
    """What is missing comes from the role. A ValueError says what is wrong with the promise."""
    method, config = _check_from(role, given)
    return CompletionCriteria(
        promise=role.promise if given.promise is None else read_promise(given.promise),
        description=given.description or default_description(role_name, title),
        verification_method=method,
        verification_config=config,
        max_iterations=given.max_iterations,
    )


def default_description(role_name: str, title: str) -> str:
    return f"Complete the {role_name} stage of: {title}"


def verification_of(criteria: CompletionCriteria, acceptance: tuple[str, ...]) -> Verification:
    return read_verification(criteria.verification_method, criteria.verification_config, acceptance)


def check_criteria(criteria: CompletionCriteria, acceptance: tuple[str, ...]) -> None:
    """A ValueError says what would keep these criteria from ever being verified."""
    check = verification_of(criteria, acceptance)
    for part in check.stages if isinstance(check, MultiStage) else ():
        if isinstance(part.check, External) and _leaves(part.check.working_dir):
            raise BadVerification(f'stage "{part.name}": {_outside(part.check.working_dir)}')
    if isinstance(check, External) and _leaves(check.working_dir):
        raise BadVerification(_outside(check.working_dir))


def completion_dict(spec: TaskCompletionSpec) -> dict[str, Any]:
    """As in files: each role stands under its name beside the outcome."""
    roles = {name: msgspec.structs.asdict(criteria) for name, criteria in spec.roles.items()}
    return {"outcome": spec.outcome, "acceptance_criteria": list(spec.acceptance_criteria), **roles}


def completion_from_dict(data: Mapping[str, Any]) -> TaskCompletionSpec:
    """The inverse, of what was checked before it was stored."""
    roles = {name: value for name, value in data.items() if name not in ("outcome", "acceptance_criteria")}
    return TaskCompletionSpec(
        outcome=data["outcome"],
        acceptance_criteria=tuple(data["acceptance_criteria"]),
        roles=msgspec.convert(roles, dict[str, CompletionCriteria]),
    )


def _check_from(role: RoleDefaults, given: GivenCriteria) -> tuple[Method, dict[str, Any]]:
    config = given.verification_config
    if given.verification_method is None and not config:
        return _default_check(role)
    method = given.verification_method or _told(config, role.verification)
    if config:
        return method, config
    if method == role.verification and role.verification_config:
        return method, role.verification_config
    return method, NEEDS_NOTHING.get(method, {})


def _told(config: dict[str, Any], otherwise: Method) -> Method:
    for key, method in TELLING.items():
        if key in config:
            return method
    return otherwise


def _default_check(role: RoleDefaults) -> tuple[Method, dict[str, Any]]:
    if role.verification_config:
        return role.verification, role.verification_config
    method: Method = role.verification if role.verification in NEEDS_NOTHING else "semantic"
    return method, NEEDS_NOTHING[method]


def _leaves(working_dir: str) -> bool:
    depth = 0
    for name in working_dir.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(name, 1)
        if depth < 0:
            return True
    return working_dir.startswith("/")


def _outside(working_dir: str) -> str:
    return f"working_dir {working_dir!r} is outside of the worktree"
