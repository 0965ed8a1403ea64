"""Completion criteria: completed from the role's defaults, checked, and converted to plain data and back."""

from collections.abc import Mapping
from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta, Struct, field

from ralph.kernel.task_rules import read_promise, shown
from ralph.model.tasks import CompletionCriteria, Criterion, CriterionKind, TaskCompletionSpec
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
"""The config of a method that is named without one. `external` has none, because nobody can guess the command."""
TELLING: dict[str, Method] = {
    "command": "external",
    "stages": "multi_stage",
    "check_for": "semantic",
    "negative_patterns": "semantic",
}
"""The config keys that imply a method."""
KINDS = ", ".join(f"{{{kind}: ...}}" for kind in get_args(CriterionKind))


class RoleDefaults(Struct, frozen=True):
    """The defaults of a role in the settings."""

    promise: str = "STAGE_COMPLETE"
    verification: Method = "string_match"
    verification_config: dict[str, Any] = field(default_factory=dict[str, Any])
    max_iterations: int = 10


class GivenCriteria(Struct, frozen=True):
    """The criteria of a role as a person wrote them; every field may be missing."""

    promise: str | None = None
    description: str | None = None
    verification_method: Method | None = None
    verification_config: dict[str, Any] = field(default_factory=dict[str, Any])
    max_iterations: Annotated[int, Meta(ge=1, le=MOST_ITERATIONS)] | None = None


def default_criteria(
    role_name: str, role: RoleDefaults, title: str, done: TaskCompletionSpec | None
) -> CompletionCriteria:
    """The criteria of a role that the task does not mention. If there is nothing to ask a model about, the promise
    counts.
    """
    if done and role.verification_config:
        method, config = role.verification, role.verification_config
    elif done and done.judged:
        method, config = "semantic", ACCEPTANCE
    else:
        method, config = "string_match", dict[str, Any]()
    return CompletionCriteria(role.promise, default_description(role_name, title), method, config)


def filled(role_name: str, role: RoleDefaults, title: str, given: GivenCriteria) -> CompletionCriteria:
    """The criteria, completed from the role's defaults. A ValueError says what is wrong with the promise."""
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


def verification_of(criteria: CompletionCriteria, judged: tuple[str, ...]) -> Verification:
    return read_verification(criteria.verification_method, criteria.verification_config, judged)


def check_criteria(criteria: CompletionCriteria, acceptance: tuple[str, ...]) -> None:
    """Raise a ValueError that says why these criteria could never be verified."""
    check = verification_of(criteria, acceptance)
    for part in check.stages if isinstance(check, MultiStage) else ():
        if isinstance(part.check, External) and (problem := _problem(part.check, acceptance)):
            raise BadVerification(f'stage "{part.name}": {problem}')
    if isinstance(check, External) and (problem := _problem(check, acceptance)):
        raise BadVerification(problem)


def completion_dict(spec: TaskCompletionSpec) -> dict[str, Any]:
    """The spec as plain data, in the form of files: each role is a key beside the outcome."""
    roles = {name: msgspec.structs.asdict(criteria) for name, criteria in spec.roles.items()}
    acceptance = [criterion_data(each) for each in spec.acceptance_criteria]
    return {"outcome": spec.outcome, "acceptance_criteria": acceptance, **roles}


def completion_from_dict(data: Mapping[str, Any]) -> TaskCompletionSpec:
    """The inverse of `completion_dict`, for data that was checked before it was stored."""
    roles = {name: value for name, value in data.items() if name not in ("outcome", "acceptance_criteria")}
    return TaskCompletionSpec(
        outcome=data["outcome"],
        acceptance_criteria=tuple(read_criterion(each) for each in data["acceptance_criteria"]),
        roles=msgspec.convert(roles, dict[str, CompletionCriteria]),
    )


def criterion_data(criterion: Criterion) -> str | dict[str, str]:
    """The criterion in the form of files: plain text for a judge, and a mapping for every other kind."""
    value = criterion.command or criterion.asked
    if criterion.text == value:
        return value if criterion.kind == "judge" else {criterion.kind: value}
    return {criterion.kind: value, "text": criterion.text}


def read_criterion(data: Any) -> Criterion:
    """The inverse of `criterion_data`. A ValueError says what is wrong, as the end of a sentence."""
    if isinstance(data, str):
        return Criterion("judge", _not_blank(data, "is empty"))
    try:
        given = msgspec.convert(data, dict[str, str])
    except msgspec.ValidationError:
        raise ValueError(f"must be a text or one of {KINDS}, each with a text") from None
    text = given.pop("text", None)
    if len(given) != 1 or not given.keys() <= set(get_args(CriterionKind)):
        named = ", ".join(map(shown, given)) or "nothing"
        raise ValueError(f"must be a text or one of {KINDS}, not {named}")
    ((kind, value),) = msgspec.convert(given, dict[CriterionKind, str]).items()
    words = _not_blank(text, "has an empty text") if text is not None else _not_blank(value, "is empty")
    if kind == "check":
        return Criterion(kind, words, command=_not_blank(value, "has no command"))
    return Criterion(kind, words, question="" if _not_blank(value, "is empty") == words else value)


def _not_blank(text: str, otherwise: str) -> str:
    if not text.strip():
        raise ValueError(otherwise)
    return text


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


def leaves(path: str) -> bool:
    """Whether a path that should be relative to a tree points outside of it."""
    depth = 0
    for name in path.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(name, 1)
        if depth < 0:
            return True
    return path.startswith("/")


def _problem(check: External, acceptance: tuple[str, ...]) -> str:
    """Why it can never be a check of this task; empty if it can."""
    if leaves(check.working_dir):
        return f"working_dir {check.working_dir!r} is outside of the worktree"
    unknown = [number for number in check.covers if not 0 < number <= len(acceptance)]
    if unknown:
        return f"covers names criterion {unknown[0]}, and the task has {len(acceptance)}"
    return ""
