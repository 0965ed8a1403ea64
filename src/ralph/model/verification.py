"""How a claim of completion is verified: four methods, read from a task's `verification_config`."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast, get_args

import msgspec
from msgspec import Struct

T = TypeVar("T")
Method = Literal["string_match", "semantic", "external", "multi_stage"]
METHODS: tuple[Method, ...] = get_args(Method)
ALL_CRITERIA = "{{acceptance_criteria}}"
"""Stands in `check_for` for the acceptance criteria of the task."""


class StringMatch(Struct, frozen=True, tag="string_match", tag_field="method", forbid_unknown_fields=True):
    """The promise is enough."""


class External(Struct, frozen=True, tag="external", tag_field="method", forbid_unknown_fields=True):
    command: str
    success_exit_code: int = 0
    output_contains: str | None = None
    output_not_contains: str | None = None
    timeout: float = 300.0
    working_dir: str = "."
    """Relative to the worktree, and inside it."""


class Semantic(Struct, frozen=True, tag="semantic", tag_field="method", forbid_unknown_fields=True):
    check_for: tuple[str, ...] = ()
    negative_patterns: tuple[str, ...] = ()
    model: str = ""


class Part(Struct, frozen=True):
    name: str
    check: "StringMatch | External | Semantic"
    required: bool = True
    """Otherwise a failure is a warning only."""
    depends_on: tuple[str, ...] = ()


class MultiStage(Struct, frozen=True, tag="multi_stage", tag_field="method"):
    stages: tuple[Part, ...]
    require_all: bool = True
    """Whether the first required stage that fails ends the verification. Otherwise all are looked at first."""


Verification = StringMatch | External | Semantic | MultiStage
_SIMPLE: dict[str, type[StringMatch | External | Semantic]] = {
    "string_match": StringMatch,
    "external": External,
    "semantic": Semantic,
}


class BadVerification(ValueError):
    """One sentence about what is wrong, without a full stop."""


class _Stage(Struct, forbid_unknown_fields=True):
    name: str
    method: str = "string_match"
    config: dict[str, Any] = {}
    required: bool = True
    depends_on: tuple[str, ...] = ()


class _Stages(Struct, forbid_unknown_fields=True):
    stages: list[_Stage]
    require_all: bool = True


def read_verification(method: str, config: Mapping[str, Any], acceptance: tuple[str, ...] = ()) -> Verification:
    """The typed form of a method and its config; `acceptance` is put in where the config asks for it."""
    if method != "multi_stage":
        return _simple(method, config, acceptance)
    read = _converted(config, _Stages, "multi_stage")
    if not read.stages:
        raise BadVerification("multi_stage needs at least one stage")
    parts: list[Part] = []
    for stage in read.stages:
        earlier = [part.name for part in parts]
        if stage.name in earlier:
            raise BadVerification(f'two stages of multi_stage are named "{stage.name}"')
        for name in stage.depends_on:
            if name not in earlier:
                raise BadVerification(f'stage "{stage.name}" depends on "{name}", which is no earlier stage')
        try:
            check = _simple(stage.method, stage.config, acceptance)
        except BadVerification as error:
            raise BadVerification(f'stage "{stage.name}": {error}') from None
        parts.append(Part(stage.name, check, stage.required, stage.depends_on))
    return MultiStage(tuple(parts), read.require_all)


def _simple(method: str, config: Mapping[str, Any], acceptance: tuple[str, ...]) -> StringMatch | External | Semantic:
    kind = _SIMPLE.get(method)
    if kind is None:
        known = METHODS if method != "multi_stage" else tuple(_SIMPLE)
        raise BadVerification(f"{method!r} cannot be used here; known: {', '.join(known)}")
    if kind is Semantic:
        config = _with_criteria(config, acceptance)
    check = _converted(config, kind, method)
    if isinstance(check, External):
        _require_command(check)
    return check


def _require_command(check: External) -> None:
    if not check.command.strip():
        raise BadVerification("no command specified for external verification")
    if check.timeout <= 0:
        raise BadVerification(f"timeout must be more than 0 seconds, not {check.timeout:g}")


def _with_criteria(config: Mapping[str, Any], acceptance: tuple[str, ...]) -> Mapping[str, Any]:
    given = config.get("check_for", ())
    if not isinstance(given, str | list | tuple):
        return config
    wanted = cast("list[Any]", [given] if isinstance(given, str) else given)
    filled: list[Any] = []
    for each in wanted:
        filled += acceptance if isinstance(each, str) and each.strip() == ALL_CRITERIA else [each]
    return {**config, "check_for": filled}


def _converted(config: Mapping[str, Any], kind: type[T], method: str) -> T:
    """`convert` wants the tag of a struct that has one."""
    tag = {"method": method} if kind is not _Stages else {}
    if "command" not in config and kind is External:
        raise BadVerification("no command specified for external verification")
    try:
        return msgspec.convert({**config, **tag}, kind)
    except msgspec.ValidationError as error:
        raise BadVerification(f"verification_config of {method}: {str(error)[0].lower()}{str(error)[1:]}") from None
