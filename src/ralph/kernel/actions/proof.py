"""Actions of a proof: compose trees, try a check on them, judge the trials, and confirm that nothing moved
meanwhile.
"""

# ruff: noqa: RUF012 - a struct copies its empty dict for each instance

from typing import Any, ClassVar

from msgspec import Struct

from ralph.kernel.actions.base import Action, judged, output_end, verdict_mark
from ralph.kernel.actions.checks import Rules, numbered
from ralph.model.evidence import Result, Spent
from ralph.model.git_rules import GitRules
from ralph.model.proof import Finding, Inventory, Proof, TrialName, TrialSeen
from ralph.model.rows import Line
from ralph.model.verification import External
from ralph.model.words import count, duration

SHORT_HASH = 8
SHOWN = 20
TITLES: dict[TrialName, str] = {
    "commit": "on a clean checkout",
    "base": "on the base",
    "base-judges": "with the base's tests and judges",
    "change-judges": "on the base, with the change's tests and judges",
    "canary": "with tests that must fail",
    "own-canary": "with tests that must fail, and the change's judges",
    "unasked": "without being told that it is tested",
}


class Snapshot(Result, frozen=True):
    """The current files as a git tree; it has no tree if there is no repository."""

    tree: str = ""
    why_none: str = ""
    findings: tuple[Finding, ...] = ()
    """The files that git was told to overlook."""
    programs: dict[str, str] = {}
    """The programs that the checks start, recorded before the agent first ran."""
    git: GitRules | None = None
    """The git rules, recorded before the agent first ran."""


class TakeSnapshot(Action, frozen=True, tag="take-snapshot"):
    """Compose a tree of every file that is not ignored. It touches none of the user's files and moves no branch."""

    base: str = ""
    """The tree at which the work began; empty for the first snapshot, which has a ref of its own."""
    commands: tuple[str, ...] = ()
    """The commands of the checks, whose programs the first snapshot looks up."""
    git: GitRules | None = None
    """The git rules from before the agent first ran."""
    commits: bool = False
    """Whether the work was just committed, so that the last commit must hold it."""
    again: int = 0
    result: ClassVar[type[Result]] = Snapshot

    @property
    def name(self) -> str:
        return numbered("", self.again).lstrip("-")

    @property
    def title(self) -> str:
        return "taking a snapshot of the files"


class TreeSeen(Result, frozen=True):
    tree: str = ""
    """What identifies the files: a git tree, or a digest of a folder without git; empty if it is not known."""


class ReadTree(Action, frozen=True, tag="read-tree"):
    """Identify the project's files after an iteration, to see whether it changed any."""

    git: GitRules | None = None
    """The git rules from before the agent first ran. Without them git is not used."""
    result: ClassVar[type[Result]] = TreeSeen
    effect: ClassVar[bool] = False

    @property
    def title(self) -> str:
        return "checking whether the files have changed"


class Composed(Result, frozen=True):
    """The trees on which a check is tried, and what the diff alone shows."""

    base: str
    """The base's tree. The other fields are trees, too."""
    commit: str
    with_base_judges: str
    """The work with the base's judges; the same as `commit` if the change touches no judge and no test."""
    with_change_judges: str
    judges: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    renamed: dict[str, str] = {}
    findings: tuple[Finding, ...] = ()
    unasked: str = ""
    """The work, changed so that the product cannot detect that it is tested; empty if the product does not try."""
    hides_files: bool = False
    """Whether the change makes git ignore other files than before."""
    only_adds_tests: bool = False
    """Whether the change touches no test and no judge of the base."""

    @property
    def is_empty(self) -> bool:
        return self.base == self.commit


class ComposeTrees(Action, frozen=True, tag="compose-trees"):
    slug: str
    command: str
    base: str
    commit: str
    rules: Rules
    programs: dict[str, str] = {}
    """The programs that the checks started before the agent first ran."""
    result: ClassVar[type[Result]] = Composed
    effect: ClassVar[bool] = False

    @property
    def title(self) -> str:
        return "looking at what the change touches"


class Tried(Result, frozen=True):
    """How a trial ended. The store holds the tests themselves, by tree and check."""

    passed: bool
    reason: str
    exit_code: int | None = None
    duration: float = 0.0
    log: str = ""
    output: str = ""
    output_end: str = ""
    runners: tuple[str, ...] = ()
    tests: int = 0
    failed: int = 0
    skipped: int = 0
    ended: bool = True
    tree: str = ""
    digest: str = ""
    """The digest under which, together with the tree, the store keeps the whole record."""
    wrote: tuple[str, ...] = ()
    """Files of the tree that the check changed."""
    cached: bool = False

    @property
    def spent(self) -> Spent:
        return Spent(seconds=self.duration)


NOT_RED = "already passes on the base, although it must fail there: a pass later shows nothing"


class TryCheck(Action, frozen=True, tag="try-check"):
    """Try a check on its own tree, in the worktree that only ralph uses, and take an inventory of its tests."""

    trial: TrialName
    label: str
    slug: str
    check: External
    tree: str
    number: int = 1
    """The number of this look at the same tree. Further looks show whether a test is flaky."""
    before: tuple[External, ...] = ()
    """The checks that run first because this one needs what they build."""
    git: GitRules | None = None
    """The git rules from before the agent first ran."""
    fresh: str = ""
    """A token; if set, trials without the same token do not count."""
    result: ClassVar[type[Result]] = Tried

    @property
    def name(self) -> str:
        after = "-after" if self.before else ""
        return f"{self.trial}-{self.slug}{after}" + (f"-{self.number}" if self.number > 1 else "")

    @property
    def title(self) -> str:
        return f"trial {TITLES[self.trial]}: {self.label}"

    def ended(self, result: Any) -> Line:
        tried: Tried = result
        tests = f", {count(tried.tests, 'test')}" if tried.runners else ""
        failed = f", {tried.failed} failed" if tried.failed else ""
        took = "as before" if tried.cached else duration(tried.duration)
        if self.trial == "base" and self.check.red and tried.passed:
            return Line(f"! {self.label} {NOT_RED} ({took})", "warn")
        line = f"· {self.title} {self._outcome(tried)}{tests}{failed} ({took})"
        # Only here a failure is bad news: on other trees it is what the trial wants to see.
        end = output_end(tried.output_end, tried.log) if self.trial == "commit" and not tried.passed else []
        return Line("\n".join([line, *end]))

    def _outcome(self, tried: Tried) -> str:
        """Whether the check passes, and why. The reason says what a check expects, which is not what a trial does."""
        why = tried.reason.removesuffix(", as expected").removesuffix(f", expected {self.check.success_exit_code}")
        return f"{'passes' if tried.passed else 'fails'}: {why}"


class TrialRef(Struct, frozen=True):
    """The key of a trial's whole record in the store."""

    trial: TrialName
    tree: str
    digest: str


class Excused(Result, frozen=True):
    """Whether a check's failure counts against the work."""

    problem: str = ""
    """Why the failure counts; empty if it does not."""
    is_suspect: bool = False
    """Whether tests fail that the base has, too, so that they may be flaky there."""
    elsewhere: bool = False
    """Whether no tree can pass the check on a clean checkout."""

    @property
    def complaint(self) -> str:
        return self.problem


class ExcuseFailure(Action, frozen=True, tag="excuse-failure"):
    """Find out which tests fail: some may have failed or been flaky before the work began."""

    slug: str
    label: str
    commit: TrialRef
    base: tuple[TrialRef, ...]
    """All looks at the base."""
    baseline: str
    reason: str
    result: ClassVar[type[Result]] = Excused
    effect: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return f"{self.slug}-{len(self.base)}"

    def ended(self, result: Any) -> Line:  # noqa: ARG002 - the evidence that follows says it
        return Line()


class CanaryTrees(Result, frozen=True):
    tree: str = ""
    """The tree with tests that must fail; empty if there is no canary."""
    own: str = ""
    """The same tests in the commit itself, if its judges differ from the base's."""
    must_fail: tuple[str, ...] = ()
    exit_only: bool = False
    word: str = ""
    left_out: str = ""


class ComposeCanary(Action, frozen=True, tag="compose-canary"):
    slug: str
    check: External
    composed: Composed
    base: TrialRef | None
    rules: Rules
    result: ClassVar[type[Result]] = CanaryTrees

    @property
    def title(self) -> str:
        return "writing tests that must fail"


class Judged(Result, frozen=True):
    """The decision over all trials of one check."""

    findings: tuple[Finding, ...] = ()
    flaky: tuple[str, ...] = ()
    """Tests that end differently on the same tree of the base. They decide nothing."""
    left_out: tuple[str, ...] = ()
    """Trials that were not made, each with the reason."""
    warnings: tuple[str, ...] = ()
    trials: tuple[TrialSeen, ...] = ()
    """The result of each trial, for the record."""

    @property
    def blocks(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.level == "block")

    @property
    def is_doubtful(self) -> bool:
        return bool(self.warnings) or any(each.level == "warn" for each in self.findings)

    @property
    def complaint(self) -> str:
        """What blocks the claim, with the place that shows it if there is one: a person must look at that first."""
        return "; ".join(told(each) for each in sorted(self.blocks, key=lambda each: not each.file)[:3])


class JudgeTrials(Action, frozen=True, tag="judge-trials"):
    """Decide over the trials. Nothing runs for it."""

    slug: str
    label: str
    composed: Composed
    trials: tuple[TrialRef, ...]
    canary: CanaryTrees
    rules: Rules
    left_out: tuple[str, ...] = ()
    looks: tuple[TrialRef, ...] = ()
    """All looks at the base."""
    red: bool = False
    """Whether the check had to fail on the base."""
    baseline: str = "strict"
    result: ClassVar[type[Result]] = Judged
    effect: ClassVar[bool] = False

    def ended(self, result: Any) -> Line:
        seen: Judged = result
        if not (seen.findings or seen.left_out or seen.flaky):
            return Line()
        good = not seen.blocks
        words = "does not hold" if not good else "passes, with warnings" if seen.is_doubtful else "holds"
        lines = [f"{verdict_mark(good=good)} {self.label}: {words}"]
        lines += [line for each in seen.findings[:SHOWN] for line in _shown(each)]
        lines += [f"  · not tried: {each}" for each in seen.left_out]
        lines += [f"  · flaky at the base, so it decides nothing: {each}" for each in seen.flaky[:SHOWN]]
        return Line("\n".join(lines), "bad" if not good else "warn" if seen.is_doubtful else "ok")


def _shown(found: Finding) -> list[str]:
    """The finding's text, and the line of the change that shows it."""
    sign = "✗" if found.level == "block" else "!"
    return [f"  {sign} {told(found)}", *([f"      {found.shown.strip()}"] if found.shown.strip() else [])]


def told(found: Finding) -> str:
    """The finding in one line, with the place that shows it."""
    line = f":{found.line}" if found.line else ""
    return f"{found.file}{line}: {found.text}" if found.file else found.text


class TipSeen(Result, frozen=True):
    problem: str = ""

    @property
    def complaint(self) -> str:
        return self.problem


class ConfirmTip(Action, frozen=True, tag="confirm-tip"):
    """Confirm that the branch is still at the commit that was verified."""

    slug: str
    commit: str
    branch: str
    result: ClassVar[type[Result]] = TipSeen
    effect: ClassVar[bool] = False

    def ended(self, result: Any) -> Line:
        return judged(result.problem, good=False) if result.problem else Line()


class Restored(Result, frozen=True):
    names: tuple[str, ...] = ()
    kept: str = ""
    """The folder with the agent's versions, relative to the project."""


class RestoreProtected(Action, frozen=True, tag="restore-protected"):
    """Put back the files that only the user may change, and keep the other versions."""

    base: str
    patterns: tuple[str, ...]
    again: int = 0
    git: GitRules | None = None
    """The git rules from before the agent first ran, so that no later rule hides a change."""
    result: ClassVar[type[Result]] = Restored

    @property
    def name(self) -> str:
        return numbered("", self.again).lstrip("-")

    def ended(self, result: Any) -> Line:
        if not result.names:
            return Line()
        where = f" (the agent's version: {result.kept})" if result.kept else ""
        return Line(f"! protectedPaths: restored {', '.join(result.names[:SHOWN])}{where}", "warn")


def counted(inventory: Inventory) -> tuple[int, int]:
    """How many tests ran, and how many failed."""
    outcomes = list(inventory.tests.values())
    ran = sum(each != "skipped" for each in outcomes) or inventory.count or 0
    return ran, outcomes.count("failed")


class ProofWritten(Result, frozen=True):
    """Where the record of a proof is stored."""

    file: str = ""
    """The file, relative to the project; empty if there is none."""
    commit: str = ""
    """The commit that has the record as a note; empty if none has."""
    is_signed: bool = False
    problem: str = ""
    """Why the record is incomplete. The work is proven nevertheless."""


class WriteProof(Action, frozen=True, tag="write-proof"):
    """Write down what was checked on which commit, so that others can check it again."""

    commit: str
    """The commit or tree that was verified."""
    base: str
    proof: Proof
    doubts: tuple[str, ...] = ()
    rules: Rules = Rules()
    spec: str = ""
    task: str = ""
    criteria: tuple[str, ...] = ()
    """The acceptance criteria of the task."""
    git: GitRules | None = None
    result: ClassVar[type[Result]] = ProofWritten

    @property
    def title(self) -> str:
        return "writing the record of the proof"

    def ended(self, result: Any) -> Line:
        done: ProofWritten = result
        if done.problem:
            return Line(f"! the record of the proof is not complete: {done.problem}", "warn")
        where = f", and as a note on {done.commit[:SHORT_HASH]}" if done.commit else ""
        return Line(f"· the record of the proof is in {done.file}{where}") if done.file else Line()
