"""The tasks of a spec as child runs: which may begin, and which ended how."""

from collections.abc import Generator
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ralph.kernel.actions.approval import AwaitPeople
from ralph.kernel.actions.base import Step
from ralph.kernel.actions.waiting import ChildEnd, RunChild
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.going_on import Persistence
from ralph.kernel.recipes.task import TaskRun
from ralph.kernel.schedule import Schedule
from ralph.model.proof import weakest
from ralph.model.verdicts import AnyVerdict, EndedBy, Failed, Verified
from ralph.model.words import count

HOPELESS = ("budget", "agent_error", "sandbox_error")
"""The verdicts after which no other task could end better."""
BLOCKED = "blocked"
OnFailure = Literal["continue", "stop"]


class SpecTask(Struct, frozen=True, omit_defaults=True):
    loop: TaskRun | ChunkRun
    dependencies: tuple[str, ...] = ()


class TaskRuns:
    """The state of the tasks of a run: which may begin, and which ended how."""

    def __init__(self, tasks: tuple[SpecTask, ...], workers: int, on_failure: OnFailure) -> None:
        self.persistence = Persistence()
        self.schedule = Schedule({each.loop.task.id: each.dependencies for each in tasks})
        self._workers = workers
        self._on_failure = on_failure
        self._loops = {each.loop.task.id: each.loop for each in tasks}
        self._numbers = {name: number for number, name in enumerate(self._loops, start=1)}
        self._ends: list[ChildEnd] = []

    def run_all(self) -> Generator[Step, Any, AnyVerdict | AwaitPeople | None]:
        """None if all are done; otherwise why not, and what people must do first if nothing else blocks."""
        stopped: AnyVerdict | None = None
        running: dict[str, RunChild] = {}
        blocked: dict[str, str] = {}
        failed: list[str] = []
        while True:
            for name in self.schedule.ready(0 if stopped else self._workers - len(running)):
                running[name] = self.child(self._numbers[name], self._loops[name])
            if not running:
                break
            child: RunChild
            end: ChildEnd
            child, end = yield tuple(running.values())
            del running[child.part]
            if end.verdict == "verified":
                self.finish(end)
                self.schedule.finish(child.part)
                continue
            self.schedule.fail(child.part, end.reason)
            if end.verdict == BLOCKED:
                blocked[child.part] = end.reason
                continue
            failed.append(child.part)
            if end.verdict in HOPELESS and stopped is None:
                stopped = EndedBy(end.verdict, f"{child.part}: {end.reason}", end.exit_code)
            elif self._on_failure == "stop" and stopped is None:
                stopped = Failed(f"{child.part}: {end.reason}. Nothing more was begun, as spec.onFailure says")
        if stopped or failed:
            return stopped or self._not_done()
        return AwaitPeople(0, " ".join(blocked.values()), self.persistence.again) if blocked else None

    def child(self, number: int, loop: TaskRun | ChunkRun) -> RunChild:
        return RunChild(number, loop.recipe, loop.task.id, msgspec.to_builtins(loop), self.persistence.again)

    def finish(self, end: ChildEnd) -> None:
        self._ends.append(end)

    def verdict(self) -> Verified:
        if not self._ends:
            return Verified(1, what="all tasks are completed, and the final review says SHIP", unit="look")
        iterations = sum(end.iterations for end in self._ends)
        doubts = tuple(doubt for end in self._ends for doubt in end.doubts)
        return Verified(iterations, weakest(end.proof or "word" for end in self._ends), doubts=doubts)

    def _not_done(self) -> Failed:
        failed = self.schedule.failed
        which = "; ".join(f"{name}: {why}" for name, why in failed.items())
        return Failed(f"{len(failed)} of {count(len(self._loops), 'task')} not done: {which}")
