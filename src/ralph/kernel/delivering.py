"""The delivery of a task's work to its spec's branch: one commit, which is checked again if it was merged."""

from collections.abc import Generator, Iterable
from typing import Any, NamedTuple

from ralph.kernel.actions.agent import Said
from ralph.kernel.actions.base import Step
from ralph.kernel.actions.proof import WriteProof
from ralph.kernel.actions.tasks import DeliverWork
from ralph.kernel.task_work import TaskOptions, TaskWork
from ralph.kernel.verification import still_holds
from ralph.model.verdicts import Verified
from ralph.model.verification import Verification


class NamedVerification(NamedTuple):
    """How one part of a task is verified, and the name of that part."""

    name: str
    check: Verification


class Delivery:
    """The actions of one delivery. `iteration` distinguishes it from an earlier delivery of the same run."""

    def __init__(self, run: TaskOptions, work: TaskWork, iteration: int, summary: str = "") -> None:
        self._run = run
        self._work = work
        self._iteration = iteration
        self._summary = summary

    def ask(self, number: int, commit: str) -> DeliverWork:
        """The delivery action. `number` counts the tries."""
        title = " ".join(self._run.task.title.split())
        message = f"{title}\n\n{self._summary.strip()}".strip()
        return DeliverWork(self._iteration, self._work.worktree, self._run.task.id, message, number, commit)

    def fails(self, checks: Iterable[NamedVerification], commit: str, merge: int = 0) -> Generator[Step, Any, str]:
        """Why the commands fail on a commit that they did not run on before; empty if they pass.

        `merge` counts the merges with the spec's branch.
        """
        name = f"merge-{merge}" if merge else "final"
        branch = self._work.worktree.spec_branch
        when = f"after the merge with {branch}" if merge else "on the commit that would be delivered"
        about = self._work.material(self._iteration, Said(""), commit=commit)
        for each in checks:
            failed = yield from still_holds(each.check, about, f"{each.name}-{name}")
            if failed:
                return f"{when}, {each.name}: {failed.check}: {failed.reason}"
        return ""

    def record(self, verdict: Verified, commit: str) -> WriteProof:
        run, work = self._run, self._work
        return WriteProof(
            self._iteration,
            commit,
            work.base,
            verdict.proof,
            verdict.doubts,
            run.rules,
            run.spec,
            run.task.id,
            run.task.acceptance,
            work.worktree.git,
        )
