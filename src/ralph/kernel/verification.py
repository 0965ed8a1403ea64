"""The verification of a claim. Each method is a generator that asks for its checks and makes one piece of evidence."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from ralph.kernel.actions.base import Action, Step
from ralph.kernel.actions.checks import Material, RecordEvidence, RunCheck, numbered
from ralph.kernel.judging import semantic
from ralph.kernel.proof import Claimed, ProofCheck, first_trial, proved, seen_red, weighed
from ralph.kernel.slugs import slug, unique_slugs
from ralph.model.evidence import Evidence, Result
from ralph.model.proof import together as combined
from ralph.model.verification import (
    External,
    MultiStage,
    NamedCheck,
    Part,
    Performed,
    Semantic,
    StringMatch,
    Verification,
)
from ralph.model.words import count

AT_ONCE = 4


def verified(check: Verification, about: Material, called: str = "") -> Generator[Step, Any, Evidence]:
    """The evidence as it is recorded, under the name of its method or `called`."""
    seen = yield from _method(check, about)
    seen = replace(seen, check=called or seen.check, claim=about.said.digest)
    # The rows of its parts hold what it cost.
    recorded: Evidence = yield RecordEvidence(about.iteration, seen, about.again, isinstance(check, NamedCheck))
    return recorded


def red_at_first(check: Verification, about: Material) -> Generator[Step, Any, None]:
    """Try those commands that must fail before the work begins."""
    parts = [(part, part.check) for part in _performed(check)]
    checks = [
        ProofCheck(part.name, slug(part.name), one, part.required) for part, one in parts if isinstance(one, External)
    ]
    yield from seen_red(checks, _claimed(about))


def still_holds(check: Verification, about: Material, name: str) -> Generator[Step, Any, Evidence | None]:
    """The first required check that fails on another commit; None if all pass. Only programs judge, without a claim."""
    before: tuple[External, ...] = ()
    for part in _performed(check):
        own = f"{slug(part.name)}-{name}"
        seen = yield from _performing(part.check, about, part.name, own, required=part.required, before=before)
        before += (part.check,) if isinstance(part.check, External) else ()
        if not seen.passed and part.required:
            return replace(seen, check=part.name)
    return None


def together(*actions: Action) -> Generator[Step, Any, list[Result]]:
    """The results of actions that run side by side, in the order of the actions."""
    results: dict[str, Result] = {}
    while left := tuple(action for action in actions if action.key not in results):
        done, result = yield left[:AT_ONCE]
        results[done.key] = result
    return [results[action.key] for action in actions]


class _Command(NamedTuple):
    name: str
    check: Performed
    required: bool


def _performed(check: Verification) -> list[_Command]:
    if isinstance(check, Performed):
        return [_Command(check.label, check, required=True)]
    parts = check.stages if isinstance(check, MultiStage) else ()
    return [_Command(part.name, part.check, part.required) for part in parts if isinstance(part.check, Performed)]


def _method(check: Verification, about: Material) -> Generator[Step, Any, Evidence]:
    match check:
        case StringMatch():
            return Evidence("string_match", passed=True, reason="the promise was given, and it is enough", proof="word")
        case External() | NamedCheck():
            return (yield from _performing(check, about, check.label, slug(check.label)))
        case Semantic():
            return (yield from semantic(check, about))
        case MultiStage():
            return (yield from _stages(check, about))


def _performing(
    check: Performed,
    about: Material,
    label: str,
    name: str,
    *,
    required: bool = True,
    before: tuple[External, ...] = (),
) -> Generator[Step, Any, Evidence]:
    if isinstance(check, External):
        return (yield from proved(ProofCheck(label, name, check, required, before), _claimed(about)))
    seen: Evidence = yield _run(check, about, label, name, required=required)
    return replace(seen, proof="checked")


def _run(check: NamedCheck, about: Material, label: str, name: str, *, required: bool) -> RunCheck:
    place = replace(about.checks, tree=about.commit)
    return RunCheck(about.iteration, label, numbered(name, about.again), check, required, about.git, place=place)


def _claimed(about: Material) -> Claimed:
    return Claimed(
        about.iteration,
        about.base,
        about.commit,
        about.checks,
        about.rules,
        about.again,
        programs=about.programs,
        git=about.git,
    )


def commands_of(check: Verification) -> tuple[str, ...]:
    """The command lines that a verification runs."""
    return tuple(each.check.command for each in _performed(check) if isinstance(each.check, External))


def _stages(check: MultiStage, about: Material) -> Generator[Step, Any, Evidence]:
    """The evidence of the stages in order; neighbours may run side by side. Those all run to their end, even if one
    fails.
    """
    names = [stage.name for stage in check.stages]
    slugs = dict(zip(names, unique_slugs(names), strict=True))
    parts: list[Evidence] = []
    before: tuple[External, ...] = ()
    for group in _groups(check):
        first = group[0]
        if len(group) > 1:
            seen = yield from _side_by_side(group, about, slugs, before)
        elif isinstance(first.check, Performed):
            own = slugs[first.name]
            command = _performing(first.check, about, first.name, own, required=first.required, before=before)
            seen = [(yield from command)]
        elif isinstance(first.check, Semantic):
            seen = [(yield from semantic(first.check, about, slugs[first.name]))]
        else:
            seen = [(yield from _method(first.check, about))]
        parts += [
            replace(each, check=stage.name, required=stage.required) for stage, each in zip(group, seen, strict=True)
        ]
        before += tuple(stage.check for stage in group if isinstance(stage.check, External))
        if (check.require_all or len(parts) <= check.shared) and _failed(parts, required=True):
            break
    return _summary(check, tuple(parts))


def _side_by_side(
    group: Sequence[Part], about: Material, slugs: Mapping[str, str], before: tuple[External, ...]
) -> Generator[Step, Any, list[Evidence]]:
    """The evidence of a group. Its checks run at the same time; the proof of each follows in order."""
    claim = _claimed(about)
    asked: list[tuple[ProofCheck | None, Action]] = []
    for part in group:
        if isinstance(part.check, External):
            one = ProofCheck(part.name, slugs[part.name], part.check, part.required, before)
            asked.append((one, first_trial(one, claim)))
        elif isinstance(part.check, NamedCheck):
            asked.append((None, _run(part.check, about, part.name, slugs[part.name], required=part.required)))
    results: list[Any] = yield from together(*(action for _, action in asked))
    seen: list[Evidence] = []
    for (one, _), result in zip(asked, results, strict=True):
        seen.append((yield from weighed(one, claim, result)) if one else replace(result, proof="checked"))
    return seen


def _groups(check: MultiStage) -> list[list[Part]]:
    groups: list[list[Part]] = []
    for number, stage in enumerate(check.stages):
        if groups and number != check.shared and _fits(stage, groups[-1]):
            groups[-1].append(stage)
        else:
            groups.append([stage])
    return groups


def _fits(stage: Part, group: Sequence[Part]) -> bool:
    return all(
        each.parallel
        and stage.parallel
        and isinstance(each.check, Performed)
        and isinstance(stage.check, Performed)
        and each.name not in stage.depends_on
        for each in group
    )


def _summary(check: MultiStage, parts: tuple[Evidence, ...]) -> Evidence:
    failed, warnings = _failed(parts, required=True), _failed(parts, required=False)
    return Evidence(
        "multi_stage",
        passed=not failed,
        reason=_words(check, failed, warnings),
        duration=sum(part.duration for part in parts),
        parts=parts,
        findings=tuple(each for part in parts for each in part.findings),
        proof=combined(part.proof for part in parts if part.proof and part.passed),
    )


def _failed(parts: Sequence[Evidence], *, required: bool) -> list[Evidence]:
    return [part for part in parts if not part.passed and part.required is required]


def _words(check: MultiStage, failed: Sequence[Evidence], warnings: Sequence[Evidence]) -> str:
    if failed:
        words = f"{count(len(failed), 'verification stage')} failed: {_reasons(failed)}"
    elif warnings:
        words = "no required verification stage failed"
    else:
        words = f"all {len(check.stages)} verification stages passed"
        words = words if len(check.stages) > 1 else "the verification stage passed"
    return f"{words}; warning: {_reasons(warnings)}" if warnings else words


def _reasons(parts: Sequence[Evidence]) -> str:
    return "; ".join(f"{part.check}: {part.reason}" for part in parts)
