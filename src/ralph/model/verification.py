"""How a claim of completion is verified: the methods, read from a task's `verification_config`."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_type_hints

import msgspec
from msgspec import Struct

T = TypeVar("T")
# A check that a program performs. A new one is one file in checks/ and one line here.
CHECKS = {
    "external": "ralph.checks.external:run_external",
}
METHODS = ("string_match", "semantic", *CHECKS, "multi_stage")
if TYPE_CHECKING:
    Method = str
else:
    Method = Literal[METHODS]
ALL_CRITERIA = "{{acceptance_criteria}}"
"""The placeholder in `check_for` for the task's acceptance criteria."""


class StringMatch(Struct, frozen=True, tag="string_match", tag_field="method", forbid_unknown_fields=True):
    """The promise alone is enough."""


class External(Struct, frozen=True, tag="external", tag_field="method", forbid_unknown_fields=True):
    command: str
    success_exit_code: int = 0
    output_contains: str | None = None
    output_not_contains: str | None = None
    timeout: float = 300.0
    working_dir: str = "."
    """The working directory, relative to the worktree and inside it."""
    baseline: Literal["strict", "relative"] = "strict"
    """Whether all tests must pass, or a test may fail if it already fails on the base."""
    red: bool = False
    """Whether the check must fail on the base, so that passing means something."""
    canary: bool = True
    """Whether the check is also tried with tests that must fail."""
    proof: bool = True
    """Whether the check is also tried with the base's tests and judges. A check with side effects is not."""
    covers: tuple[int, ...] = ()
    """The numbers of the acceptance criteria that this check covers."""

    @property
    def label(self) -> str:
        return " ".join(self.command.split())


class CheckConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """What a check of the table looks at. The check's function takes it as the argument `check`."""

    @property
    def label(self) -> str:
        """What the check looks at, in a few words, for prompts and screens."""
        raise NotImplementedError


class NamedCheck(Struct, frozen=True, tag="check", tag_field="method", forbid_unknown_fields=True):
    """A check of the table. Only the check's own file knows its config; here it is plain data."""

    name: str
    config: dict[str, Any]
    label: str


class NegativePattern(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Text that must not occur, in upper or lower case."""

    text: str
    word: bool = False
    """Whether only whole words match. Otherwise a part of a word matches, too."""


class Semantic(Struct, frozen=True, tag="semantic", tag_field="method", forbid_unknown_fields=True):
    check_for: tuple[str, ...] = ()
    negative_patterns: tuple[str | NegativePattern, ...] = ()
    model: str = ""


class Part(Struct, frozen=True):
    name: str
    check: "Simple"
    required: bool = True
    """Whether the stage must pass. Otherwise a failure is only a warning."""
    depends_on: tuple[str, ...] = ()
    parallel: bool = False
    """Whether it may run at the same time as neighbours that say the same. Commands may; a model is asked alone."""


class MultiStage(Struct, frozen=True, tag="multi_stage", tag_field="method"):
    stages: tuple[Part, ...]
    require_all: bool = True
    """Whether the first required stage that fails ends the verification. Otherwise all stages run first."""
    shared: int = 0
    """How many stages at the beginning every task shares. The first required one of them that fails always ends the
    verification."""


Performed = External | NamedCheck
"""A check that a program performs, as the action `RunCheck`."""
Simple = StringMatch | Semantic | Performed
Verification = Simple | MultiStage
_SIMPLE: dict[str, type[StringMatch | External | Semantic]] = {
    "string_match": StringMatch,
    "external": External,
    "semantic": Semantic,
}


class BadVerification(ValueError):
    """A verification that cannot be read. Its text is one sentence without a full stop."""


class _PartConfig(Struct, forbid_unknown_fields=True):
    name: str
    method: str = "string_match"
    config: dict[str, Any] = {}
    required: bool = True
    depends_on: tuple[str, ...] = ()
    parallel: bool = False


class _PartConfigs(Struct, forbid_unknown_fields=True):
    stages: list[_PartConfig]
    require_all: bool = True


def read_verification(method: str, config: Mapping[str, Any], acceptance: tuple[str, ...] = ()) -> Verification:
    """The typed form of a method and its config; `acceptance` replaces its placeholder in the config."""
    if method != "multi_stage":
        return _simple(method, config, acceptance)
    read = _converted(config, _PartConfigs, "multi_stage")
    if not read.stages:
        raise BadVerification("multi_stage needs at least one stage")
    parts: list[Part] = []
    for stage in read.stages:
        earlier = [part.name for part in parts]
        if stage.name in earlier:
            raise BadVerification(f'two stages of multi_stage are named "{stage.name}"')
        for name in stage.depends_on:
            if name not in earlier:
                raise BadVerification(f'stage "{stage.name}" depends on "{name}", which is not an earlier stage')
        try:
            check = _simple(stage.method, stage.config, acceptance)
        except BadVerification as error:
            raise BadVerification(f'stage "{stage.name}": {error}') from None
        parts.append(Part(stage.name, check, stage.required, stage.depends_on, stage.parallel))
    return MultiStage(tuple(parts), read.require_all)


def config_of(method: str) -> type[CheckConfig]:
    """The struct for the config of a check of the table. It is imported on first use."""
    return get_type_hints(performed_by(method))["check"]


def performed_by(method: str) -> Callable[..., Any]:
    """The function that performs a check of the table."""
    module, _, name = CHECKS[method].partition(":")
    return getattr(import_module(module), name)


def _simple(method: str, config: Mapping[str, Any], acceptance: tuple[str, ...]) -> Simple:
    kind = _SIMPLE.get(method)
    if kind is None and method in CHECKS:
        return NamedCheck(method, dict(config), _converted(config, config_of(method), method).label)
    if kind is None:
        known = METHODS if method != "multi_stage" else tuple(each for each in METHODS if each != method)
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
        if not isinstance(each, str) or ALL_CRITERIA not in each:
            filled.append(each)
        elif each.strip() == ALL_CRITERIA:
            filled += acceptance
        else:
            filled.append(each.replace(ALL_CRITERIA, "; ".join(acceptance)))
    return {**config, "check_for": filled}


def _converted(config: Mapping[str, Any], kind: type[T], method: str) -> T:
    """The config as a `kind`. `convert` needs the tag of a struct that has one."""
    tag = {"method": method} if method in _SIMPLE else {}
    if "command" not in config and kind is External:
        raise BadVerification("no command specified for external verification")
    try:
        return msgspec.convert({**config, **tag}, kind)
    except msgspec.ValidationError as error:
        raise BadVerification(f"verification_config of {method}: {str(error)[0].lower()}{str(error)[1:]}") from None
