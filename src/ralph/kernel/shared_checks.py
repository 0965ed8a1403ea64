"""The checks that run for every task, whatever else verifies it: verification steps, and criteria with a command."""

from collections.abc import Iterable

from msgspec.structs import replace

from ralph.model.tasks import TaskCompletionSpec
from ralph.model.verification import External, MultiStage, Part, Semantic, StringMatch, Verification

PROMISE, JUDGE = "promise", "acceptance"
"""The names of a stage's only check when other checks are beside it."""


def criteria_checks(done: TaskCompletionSpec | None, timeout: float) -> tuple[Part, ...]:
    """The commands among the acceptance criteria. Each covers its own criterion, and must pass."""
    criteria = enumerate(done.acceptance_criteria if done else (), 1)
    return tuple(
        Part(" ".join(each.text.split()), External(each.command, timeout=timeout, covers=(number,)))
        for number, each in criteria
        if each.kind == "check"
    )


def only_shared(shared: Iterable[Part]) -> MultiStage | None:
    """The shared checks alone; None if there are none."""
    first = _with_own_names(shared, set())
    return MultiStage(first, shared=len(first)) if first else None


def after_shared(shared: Iterable[Part], check: Verification) -> Verification:
    """The shared checks, then the stage's own check."""
    own = check.stages if isinstance(check, MultiStage) else (Part(_name(check), check),)
    first = _with_own_names(shared, {part.name for part in own})
    if not first:
        return check
    return MultiStage((*first, *own), not isinstance(check, MultiStage) or check.require_all, len(first))


def _name(check: Verification) -> str:
    match check:
        case StringMatch():
            return PROMISE
        case Semantic():
            return JUDGE
        case MultiStage():
            raise AssertionError("its stages have names of their own")
        case _:
            return check.label


def _with_own_names(parts: Iterable[Part], taken: set[str]) -> tuple[Part, ...]:
    """The parts with unique names: evidence is kept by name, and people may give two steps the same one."""
    named: list[Part] = []
    for part in parts:
        name, number = part.name, 2
        while name in taken:
            name, number = f"{part.name} ({number})", number + 1
        taken.add(name)
        named.append(replace(part, name=name))
    return tuple(named)
