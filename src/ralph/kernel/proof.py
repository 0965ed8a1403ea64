"""The proof of a claim against judges that the agent could not touch: trials of a check, made when work is claimed."""

from collections.abc import Generator, Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ralph.kernel.actions.base import Step
from ralph.kernel.actions.checks import Rules, numbered
from ralph.kernel.actions.proof import (
    CanaryTrees,
    ComposeCanary,
    Composed,
    ComposeTrees,
    Excused,
    ExcuseFailure,
    Judged,
    JudgeTrials,
    TrialRef,
    Tried,
    TryCheck,
    told,
)
from ralph.kernel.going_on import Persistence
from ralph.model.evidence import Evidence
from ralph.model.git_rules import GitRules
from ralph.model.places import Place
from ralph.model.proof import Finding, TrialName
from ralph.model.verdicts import TamperedWork
from ralph.model.verification import External

LOOKS_AT_BASE = 3
"""How many times the base is tried before a test that fails now is known not to be flaky there."""
IN_YOUR_TREE_ONLY = (
    "passed in your tree only: on a clean checkout neither the work nor the start of the run passes, so it needs"
    " something that git does not hold (set worktree.init to the command that prepares a checkout)"
)


MOST_BLOCKS = 3
SHOWN = 3


class ProofCheck(Struct, frozen=True):
    """A check to prove, and its name."""

    label: str
    slug: str
    check: External
    required: bool = True
    before: tuple[External, ...] = ()
    """The checks that run before it in the same tree, because it may need what they build."""


class Claimed(Struct, frozen=True):
    """The work that is claimed to be done."""

    iteration: int
    base: str
    """The commit or tree at which the work began."""
    commit: str
    """The commit or tree that is judged."""
    place: Place
    rules: Rules
    again: int = 0
    in_place: bool = False
    """Whether the checks passed in the user's own tree before."""
    programs: dict[str, str] = {}
    """The programs that the checks started before the agent first ran."""
    git: GitRules | None = None
    """The git rules from before the agent first ran."""
    fresh: str = ""
    """A token that makes the trials new: earlier trials of the same trees do not count."""


def seen_red(checks: Iterable[ProofCheck], begin: Claimed) -> Generator[Step, Any, None]:
    """Try the checks that must be red before an agent works, so that a person learns at once if one is not.

    A claim does not repeat these trials: the store keeps them.
    """
    for one in checks:
        if one.check.red and one.check.proof and begin.rules.tamper != "off":
            yield _try(one, begin, "base", begin.base)


def proved(one: ProofCheck, claim: Claimed) -> Generator[Step, Any, Evidence]:
    """The evidence of the check on a clean checkout of the work, then with the base's judges and with tests that must
    fail.
    """
    commit: Tried = yield first_trial(one, claim)
    return (yield from weighed(one, claim, commit))


def weighed(one: ProofCheck, claim: Claimed, commit: Tried) -> Generator[Step, Any, Evidence]:
    """The same evidence, after the first trial."""
    trials = _Trials(one, claim)
    trials.note("commit", commit)
    commit = yield from trials.after_others(commit)
    if not commit.passed:
        excused = yield from trials.excuse(commit)
        if excused.problem:
            return _failed(one, commit, excused.problem)
        if excused.elsewhere:
            return _evidence(one, commit, Judged(warnings=(IN_YOUR_TREE_ONLY,)))
    if claim.rules.tamper == "off" or not one.check.proof:
        return _evidence(one, commit, Judged())
    judged = yield from trials.judged(commit)
    return _evidence(one, commit, judged)


def first_trial(one: ProofCheck, claim: Claimed) -> TryCheck:
    """The trial of the work itself. The first trials of several checks may run side by side."""
    return _try(one, claim, "commit", claim.commit)


def _try(
    one: ProofCheck,
    claim: Claimed,
    trial: TrialName,
    tree: str,
    number: int = 1,
    before: tuple[External, ...] = (),
) -> TryCheck:
    place, name = replace(claim.place, tree=tree), numbered(one.slug, claim.again)
    return TryCheck(
        claim.iteration, trial, one.label, name, one.check, tree, number, before, claim.git, claim.fresh, place=place
    )


def _failed(one: ProofCheck, commit: Tried, why: str) -> Evidence:
    return Evidence(
        one.label,
        passed=False,
        reason=why,
        exit_code=commit.exit_code,
        output=commit.output,
        log=commit.log,
        duration=commit.duration,
        required=one.required,
    )


def _evidence(one: ProofCheck, commit: Tried, judged: Judged) -> Evidence:
    return Evidence(
        one.label,
        passed=not judged.blocks,
        reason=judged.complaint or "; ".join((commit.reason, *judged.warnings)),
        exit_code=commit.exit_code,
        log=commit.log,
        duration=commit.duration,
        required=one.required,
        findings=judged.findings,
        proof=None if judged.blocks else "warned" if judged.is_doubtful else "checked",
        trials=judged.trials,
    )


class _Trials:
    """The trials of one check, as far as they are needed and the budget allows."""

    def __init__(self, one: ProofCheck, claim: Claimed) -> None:
        self._one = one
        self._claim = claim
        self._slug = numbered(one.slug, claim.again)
        self._seen: dict[TrialName, Tried] = {}
        self._refs: dict[TrialName, TrialRef] = {}
        self._looks: list[TrialRef] = []
        self._left_out: list[str] = []
        self._before: tuple[External, ...] = ()
        self._composed: Composed | None = None
        self._is_excused = False
        self._left = claim.rules.budget

    def make(self, trial: TrialName, tree: str, number: int = 1) -> Generator[Step, Any, Tried]:
        tried: Tried = yield _try(self._one, self._claim, trial, tree, number, self._before)
        self.note(trial, tried, number)
        return tried

    def note(self, trial: TrialName, tried: Tried, number: int = 1) -> None:
        ref = TrialRef(trial, tried.tree, tried.digest)
        if trial == "base":
            self._looks.append(ref)
        if number == 1:
            self._seen[trial], self._refs[trial] = tried, ref

    def after_others(self, commit: Tried) -> Generator[Step, Any, Tried]:
        """The trial after the checks before it. A check that fails alone may need what they build, as in the user's
        tree.

        Only files that git already ignored are left for it: what a check writes over the work is not the work.
        """
        if commit.passed or not self._one.before:
            return commit
        if (yield from self._compose()).hides_files:
            return commit
        self._before = self._one.before
        again = yield from self.make("commit", self._claim.commit)
        if not again.passed:
            self._before = ()
            self.note("commit", commit)
            return commit
        return again

    def _compose(self) -> Generator[Step, Any, Composed]:
        if self._composed is None:
            claim, command = self._claim, self._one.check.command
            composed: Composed = yield ComposeTrees(
                claim.iteration,
                self._slug,
                command,
                claim.base,
                claim.commit,
                claim.rules,
                claim.programs,
                place=claim.place,
            )
            self._composed = composed
        return self._composed

    def excuse(self, commit: Tried) -> Generator[Step, Any, Excused]:
        """Whether a failure on a clean checkout counts. A test that is flaky at the base never blocks by itself."""
        base = yield from self.make("base", self._claim.base)
        if self._claim.in_place and not base.passed and not commit.tests and not base.tests:
            return Excused(elsewhere=True)
        excused = yield from self._excused(commit)
        if excused.is_suspect:
            yield from self._look_again()
            excused = yield from self._excused(commit)
        self._is_excused = not excused.problem
        return excused

    def _excused(self, failed: Tried, trial: TrialName = "commit") -> Generator[Step, Any, Excused]:
        one, claim = self._one, self._claim
        excused: Excused = yield ExcuseFailure(
            claim.iteration,
            self._slug if trial == "commit" else f"{self._slug}-{trial}",
            one.label,
            self._refs[trial],
            tuple(self._looks),
            one.check.baseline,
            failed.reason,
            place=claim.place,
        )
        return excused

    def _look_again(self) -> Generator[Step, Any, None]:
        """Try the base again: tests that end differently there are flaky."""
        for number in range(len(self._looks) + 1, LOOKS_AT_BASE + 1):
            yield from self.make("base", self._claim.base, number)

    def judged(self, commit: Tried) -> Generator[Step, Any, Judged]:
        one, claim = self._one, self._claim
        composed = yield from self._compose()
        canary = yield from self._rest(commit, composed)
        judged: Judged = yield JudgeTrials(
            claim.iteration,
            self._slug,
            one.label,
            composed,
            tuple(self._refs.values()),
            canary,
            claim.rules,
            tuple(self._left_out),
            tuple(self._looks),
            one.check.red,
            one.check.baseline,
            place=claim.place,
        )
        return judged

    def _rest(self, commit: Tried, composed: Composed) -> Generator[Step, Any, CanaryTrees]:
        """Make the remaining trials. The canary is left out last, so its time is reserved first."""
        self._left -= commit.duration if self._one.check.canary else 0.0
        if "base" not in self._seen:
            yield from self._affordable("base", composed.base, commit)
        held: Tried | None = commit
        if composed.with_base_judges != composed.commit:
            held = yield from self._affordable("base-judges", composed.with_base_judges, commit)
        base = self._seen.get("base")
        holds = held is None or held.passed or self._is_excused
        if held and base and (not holds or commit.skipped > base.skipped):
            holds = yield from self._holds_after_all(held, commit)
        if base and not holds and not base.passed:
            yield from self._affordable("change-judges", composed.with_change_judges, commit)
        if composed.unasked:
            unasked = yield from self._affordable("unasked", composed.unasked, commit)
            if unasked and not unasked.passed:
                yield from self._look_again_if_affordable(commit)
        if not self._one.check.canary:
            self._left_out.append("the canary: switched off by canary: false")
        elif holds:
            return (yield from self._canaries(commit, composed))
        return CanaryTrees()

    def _holds_after_all(self, held: Tried, commit: Tried) -> Generator[Step, Any, bool]:
        """Whether only tests that are flaky at the base fail with the base's judges. A test that is skipped now may be
        flaky, too: the looks at the base count when everything is judged.
        """
        yield from self._look_again_if_affordable(commit)
        if held.passed or self._is_excused:
            return True
        return not (yield from self._excused(held, "base-judges")).problem

    def _look_again_if_affordable(self, commit: Tried) -> Generator[Step, Any, None]:
        takes = (LOOKS_AT_BASE - len(self._looks)) * commit.duration
        if takes > self._left:
            self._left_out.append("more looks at the base: they would take longer than proof.budget allows")
            return
        self._left -= takes
        yield from self._look_again()

    def _affordable(self, trial: TrialName, tree: str, commit: Tried) -> Generator[Step, Any, Tried | None]:
        if commit.duration > self._left:
            self._left_out.append(f"{trial}: it would take longer than proof.budget allows")
            return None
        self._left -= commit.duration
        return (yield from self.make(trial, tree))

    def _canaries(self, commit: Tried, composed: Composed) -> Generator[Step, Any, CanaryTrees]:
        claim, one = self._claim, self._one
        if commit.duration > claim.rules.budget:
            self._left_out.append("the canary: it would take longer than proof.budget allows")
            return CanaryTrees()
        canary: CanaryTrees = yield ComposeCanary(
            claim.iteration, self._slug, one.check, composed, self._refs.get("base"), claim.rules, place=claim.place
        )
        if canary.left_out:
            self._left_out.append(f"the canary: {canary.left_out}")
        if canary.tree:
            yield from self.make("canary", canary.tree)
        if canary.own:
            yield from self._affordable("own-canary", canary.own, commit)
        return canary


class Blocks:
    """How many claims in a row were blocked. Too many end the run."""

    def __init__(self, persistence: Persistence) -> None:
        self._persistence = persistence
        self._in_a_row = 0

    def end(self, iteration: int, seen: Evidence) -> Generator[Step, Any, TamperedWork | None]:
        """The verdict, if this claim was one too many and nobody says to continue."""
        self._in_a_row = self._in_a_row + 1 if is_blocked(seen) else 0
        if self._in_a_row < MOST_BLOCKS:
            return None
        verdict = TamperedWork(f"{self._in_a_row} claims in a row touched what judges them: {seen.reason}")
        self._in_a_row = 0
        return verdict if (yield from self._persistence.give_up(iteration, verdict)) is None else None


def is_blocked(seen: Evidence) -> bool:
    return not seen.passed and any(each.level == "block" for each in seen.findings)


def with_findings(seen: Evidence, found: Sequence[Finding], rules: Rules) -> Evidence:
    """The evidence with these findings. What was seen when the work was committed counts like what the checks saw."""
    levelled = tuple(_at_most_warned(each) if rules.tamper != "block" else each for each in found)
    blocks = [each for each in levelled if each.level == "block"]
    findings = (*seen.findings, *levelled)
    if blocks and seen.passed:
        return replace(seen, passed=False, reason="; ".join(map(told, blocks[:SHOWN])), findings=findings)
    doubtful = any(each.level == "warn" for each in levelled) and seen.proof == "checked"
    return replace(seen, findings=findings, proof="warned" if doubtful else seen.proof)


def doubts(seen: Evidence) -> tuple[str, ...]:
    """What a person must look at although the work counts as done."""
    own = [told(each) for each in seen.findings if each.level == "warn"]
    return tuple(own) or ((seen.reason,) if seen.proof == "warned" else ())


def _at_most_warned(found: Finding) -> Finding:
    return replace(found, level="warn") if found.level == "block" else found
