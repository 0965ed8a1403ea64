"""The verify recipe: checks on a commit or on the current files, judged like a claim, without an agent."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ralph.kernel.actions.base import Recipe, Step
from ralph.kernel.actions.checks import RecordEvidence, Rules, RunCheck
from ralph.kernel.actions.commands import RunCommand
from ralph.kernel.actions.proof import Snapshot, TakeSnapshot
from ralph.kernel.actions.tasks import RecordStart, Start, Worktree
from ralph.kernel.going_on import Persistence
from ralph.kernel.proof import Claimed, ProofCheck, doubts, is_blocked, proved, with_findings
from ralph.kernel.slugs import unique_slugs
from ralph.model.evidence import Evidence
from ralph.model.places import verification_place
from ralph.model.proof import together
from ralph.model.verdicts import AnyVerdict, Failed, TamperedWork, Verified
from ralph.model.verification import External, Performed

NAME = "verify"
ALL_PASS = "all pass"  # noqa: S105 - not a password
NO_BASE = "there is no earlier commit, so only the checks themselves were tried"


class WantedCheck(Struct, frozen=True, omit_defaults=True):
    """A check that the work must pass."""

    name: str
    check: Performed
    required: bool = True
    group: str = ""
    """The group: a check may need what the checks before it in the same group build."""


class VerifyRun(Struct, frozen=True, omit_defaults=True):
    commit: str
    """The commit; empty means the project's current files."""
    checks: tuple[WantedCheck, ...]
    base: str = ""
    """The commit at which the work began; empty if there is none."""
    label: str = ""
    """What the user asked to verify: a task or a commit."""
    rules: Rules = Rules()
    fresh: str = ""
    """A token of this run; if set, what other runs saw of the same tree does not count."""
    start: Start | None = None
    """What was recorded when the work began. Without it, everything at the start of this run counts as the user's."""


def verify_loop(run: VerifyRun) -> Recipe:
    persistence = Persistence()
    while True:
        iteration = persistence.again + 1
        seen = yield from _judged(run, iteration)
        verdict = _verdict(run, seen, iteration)
        if isinstance(verdict, Verified) or (yield from persistence.give_up(iteration, verdict)) is None:
            return verdict


def _verdict(run: VerifyRun, seen: Evidence, iteration: int) -> AnyVerdict:
    if seen.passed:
        found = tuple(each for each in doubts(seen) if each != ALL_PASS)
        return Verified(
            iteration,
            seen.proof or "checked",
            what=f"{run.commit[:8]} passes its checks" if run.commit else "the files pass their checks",
            unit="look",
            commit=run.commit,
            doubts=found if run.base else (NO_BASE, *found),
        )
    return TamperedWork(seen.reason) if is_blocked(seen) else Failed(seen.reason)


def _judged(run: VerifyRun, iteration: int) -> Generator[Step, Any, Evidence]:
    base = run.base or run.commit
    commands = tuple(each.check.command for each in run.checks if isinstance(each.check, External))
    known: Start = run.start or (yield RecordStart(iteration, Worktree(".", ".", "", base, ""), commands))
    claim = Claimed(
        iteration,
        base,
        run.commit,
        verification_place(NAME),
        run.rules if run.base else replace(run.rules, tamper="off"),
        programs=run.start.programs if run.start else {},
        git=known.git,
        fresh=f"{run.fresh}-{iteration}" if run.fresh else "",
    )
    seen = yield from _tried(run, claim) if run.commit else _tried_as_they_are(run, claim)
    recorded: Evidence = yield RecordEvidence(iteration, seen)
    return recorded


def _tried(
    run: VerifyRun, claim: Claimed, in_place: Mapping[str, Evidence] = MappingProxyType({})
) -> Generator[Step, Any, Evidence]:
    """The evidence of all checks, even after one that fails: a person who verifies wants to see each."""
    parts: list[Evidence] = []
    for each, slug in _named(run.checks):
        seen = in_place.get(slug)
        if seen is None or seen.passed:
            own = replace(claim, in_place=seen is not None)
            seen = yield from _performed(each, slug, own, _before(run.checks, each))
        parts.append(replace(seen, check=each.name, required=each.required))
    return _together(parts, has_base=bool(run.base))


def _tried_as_they_are(run: VerifyRun, claim: Claimed) -> Generator[Step, Any, Evidence]:
    """The evidence for the project's current files. What fails in the user's own tree need not be tried elsewhere."""
    in_place = yield from _in_place(run.checks, claim.iteration)
    if any(not each.passed and each.required for each in in_place.values()):
        return _together(list(in_place.values()), has_base=True)
    now: Snapshot = yield TakeSnapshot(claim.iteration, claim.base, git=claim.git)
    seen = yield from _tried(run, replace(claim, commit=now.tree), in_place)
    return with_findings(seen, now.findings, run.rules)


def _named(checks: Sequence[WantedCheck]) -> Iterable[tuple[WantedCheck, str]]:
    return zip(checks, unique_slugs(each.name for each in checks), strict=True)


def _in_place(checks: Sequence[WantedCheck], iteration: int) -> Generator[Step, Any, dict[str, Evidence]]:
    """The evidence of the checks in the user's own tree, by slug."""
    seen: dict[str, Evidence] = {}
    for each, slug in _named(checks):
        if isinstance(each.check, External) and _is_its_exit_code(each.check):
            found: Evidence = yield RunCommand(iteration, each.check.command, slug, "the agent")
            seen[slug] = replace(found, check=each.name, required=each.required)
    return seen


def _is_its_exit_code(check: External) -> bool:
    """Whether the check asks only that the command succeeds at the top of the project."""
    return check == External(check.command, timeout=check.timeout, red=check.red, canary=check.canary)


def _before(checks: Sequence[WantedCheck], one: WantedCheck) -> tuple[External, ...]:
    earlier = checks[: checks.index(one)]
    return tuple(each.check for each in earlier if each.group == one.group and isinstance(each.check, External))


def _performed(
    one: WantedCheck, slug: str, claim: Claimed, before: tuple[External, ...]
) -> Generator[Step, Any, Evidence]:
    if isinstance(one.check, External):
        return (yield from proved(ProofCheck(one.name, slug, one.check, one.required, before), claim))
    place = replace(claim.place, tree=claim.commit)
    seen: Evidence = yield RunCheck(claim.iteration, one.name, slug, one.check, one.required, claim.git, place=place)
    return replace(seen, proof="checked")


def _together(parts: Sequence[Evidence], *, has_base: bool) -> Evidence:
    failed = [each for each in parts if not each.passed and each.required]
    warned = [each for each in parts if not each.passed and not each.required]
    doubtful = [each for each in parts if each.proof == "warned"]
    proof = together(each.proof or "checked" for each in parts if each.passed)
    return Evidence(
        "checks",
        passed=not failed,
        reason=_reasons(failed or warned or doubtful) or ALL_PASS,
        duration=sum(each.duration for each in parts),
        parts=tuple(parts),
        findings=tuple(dict.fromkeys(found for each in parts for found in each.findings)),
        proof="warned" if warned or not has_base else proof,
    )


def _reasons(parts: Sequence[Evidence]) -> str:
    return "; ".join(f"{each.check}: {each.reason}" for each in parts)
