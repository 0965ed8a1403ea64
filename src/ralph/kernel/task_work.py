"""The worktree of a task: every recipe of a task opens it, sets it up, and saves and verifies the work in it."""

from collections.abc import Generator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.approval import WantedApproval
from ralph.kernel.actions.base import Step
from ralph.kernel.actions.checks import Material, Rules
from ralph.kernel.actions.proof import ConfirmTip, RestoreProtected, TipSeen
from ralph.kernel.actions.tasks import (
    FindUnfinished,
    OpenWorktree,
    RecordStart,
    Saved,
    SaveWork,
    SetUpWorktree,
    Start,
    Unfinished,
    Worktree,
)
from ralph.kernel.going_on import Persistence
from ralph.kernel.proof import with_findings
from ralph.kernel.stage_text import TaskText
from ralph.kernel.verification import red_at_first, verified
from ralph.model.evidence import Evidence
from ralph.model.places import task_place, verification_place
from ralph.model.proof import Finding
from ralph.model.verdicts import Failed
from ralph.model.verification import Verification


class TaskOptions(Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="recipe"):
    """The options of every recipe of a task. The tag is the name of the recipe."""

    spec: str
    task: TaskText
    copy: tuple[str, ...] = ()
    init: str = ""
    base: str = ""
    """The commit at which the spec's branch begins, if the branch does not exist yet."""
    fresh: bool = False
    """Whether to start again although there is a worktree with an earlier run's work."""
    rules: Rules = Rules()
    people: tuple[WantedApproval, ...] = ()
    """The criteria that a person must confirm once everything else is verified."""

    @property
    def recipe(self) -> str:
        return str(self.__struct_config__.tag)


def opened(
    run: TaskOptions, start: int, commands: tuple[str, ...], persistence: Persistence, *, fresh: bool
) -> Generator[Step, Any, Worktree | Failed]:
    """The worktree after its setup, with the git rules and the checks' programs from before an agent first ran in it.

    `start` counts how many times the work was begun.
    """
    worktree: Worktree = yield OpenWorktree(start, run.spec, run.task.id, fresh, run.base)
    while True:
        ready: Evidence = yield SetUpWorktree(start, worktree, run.copy, run.init, persistence.again)
        if ready.passed:
            break
        unprepared = Failed(f"the worktree could not be prepared: {ready.reason}")
        if (yield from persistence.give_up(start, unprepared)) is None:
            return unprepared
    known: Start = yield RecordStart(start, worktree, commands)
    return replace(worktree, programs=known.programs, git=known.git, base_tree=known.tree)


class TaskWork:
    """The work in a task's worktree, and the commit that was saved last."""

    def __init__(self, task: str, worktree: Worktree, rules: Rules) -> None:
        self.place = task_place(task)
        self.worktree = worktree
        self.commit = ""
        self.tree = ""
        self.base = worktree.base
        """The commit that the saved commit is compared with."""
        self._checks = verification_place(task)
        self._rules = rules
        self._findings: tuple[Finding, ...] = ()

    @property
    def compared(self) -> Worktree:
        """The worktree with the base that the saved commit is compared with."""
        return replace(self.worktree, base=self.base)

    @property
    def changes_nothing(self) -> bool:
        """Whether the files are still those with which the work began."""
        return self.tree == self.worktree.base_tree

    def save(self, i: int, message: str, again: int) -> Generator[Step, Any, None]:
        worktree, rules = self.worktree, self._rules
        if rules.protected:
            yield RestoreProtected(i, worktree.base, rules.protected, again, worktree.git, place=self.place)
        saved: Saved = yield SaveWork(i, message, again, worktree.base, worktree.branch, worktree.git, place=self.place)
        self.commit, self.tree, self._findings = saved.commit, saved.tree, saved.findings
        self.base = worktree.base

    def was_delivered(self, i: int) -> Generator[Step, Any, bool]:
        """Whether nothing changed because a killed run of the task delivered the work. Then that change is examined."""
        found: Unfinished = yield FindUnfinished(i, self.place.name, self.worktree.base)
        self.base = found.before or self.worktree.base
        return bool(found.commit)

    def material(
        self, i: int, said: Said, again: int = 0, *, trusts_promise: bool = False, commit: str = ""
    ) -> Material:
        """The material by which a claim about the saved commit, or another one, is judged."""
        worktree = self.worktree
        return Material(
            i,
            said,
            self.base,
            commit or self.commit,
            self.place,
            self._checks,
            self._rules,
            worktree.programs,
            worktree.git,
            again,
            trusts_promise,
        )

    def red_at_first(self, check: Verification) -> Generator[Step, Any, None]:
        """Try the checks that must be red, before the first iteration."""
        yield from red_at_first(check, self.material(0, Said("")))

    def verified(self, check: Verification, about: Material, called: str = "") -> Generator[Step, Any, Evidence]:
        """The evidence of the check. What was seen when the work was saved counts, too."""
        seen = yield from verified(check, about, called)
        return self.with_findings(seen)

    def with_findings(self, seen: Evidence) -> Evidence:
        return with_findings(seen, self._findings, self._rules)

    def confirmed(self, seen: Evidence, about: Material) -> Generator[Step, Any, Evidence]:
        """The evidence, if the branch still holds what was verified when the last check has ended."""
        if not seen.passed:
            return seen
        slug = str(about.again or "")
        tip: TipSeen = yield ConfirmTip(about.iteration, slug, self.commit, self.worktree.branch, place=self.place)
        return replace(seen, passed=False, reason=tip.problem) if tip.problem else seen
