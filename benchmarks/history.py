"""Databases as they are after months of work.

What is copied, or looked at one by one, was written by ralph's own recipes, driver and journal. Only the performers are
made up: nothing is started, so that thousands of runs take seconds.

usage: python benchmarks/history.py HOME PROJECT runs|spec SIZE
A program of its own, so that the process that measures others stays small.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from ralph.config.layers import Loaded, load
from ralph.kernel.actions.agent import Claim, Prompt, ReadClaim, ReadPrompt, ReadResponse, RunAgent
from ralph.kernel.actions.checks import Recorded, RecordEvidence
from ralph.kernel.actions.commands import RunCommand
from ralph.kernel.actions.planning import KeepSummary, ReadWork, Summarised, WorkSeen
from ralph.kernel.actions.proof import ProofWritten, Snapshot, TakeSnapshot, WriteProof
from ralph.kernel.actions.tasks import (
    Delivered,
    DeliverWork,
    OpenWorktree,
    RecordStart,
    Saved,
    SaveWork,
    SetUpWorktree,
    Start,
    Worktree,
)
from ralph.kernel.actions.waiting import ChildEnd, FindVerifiedStages, GiveUp, Granted, RunChild, VerifiedStages
from ralph.kernel.recipes import prompt, spec
from ralph.kernel.recipes.prompt import Guardrail, PromptRun
from ralph.kernel.recipes.spec import SpecRun, SpecTask
from ralph.kernel.recipes.task import TaskRun
from ralph.kernel.stage_text import Stage, TaskText
from ralph.loop.drive import Driver
from ralph.loop.plan import Plan, make_plan, new_run, stored_plan
from ralph.loop.stop import Stop
from ralph.model.events import Tokens
from ralph.model.evidence import AgentReport, Evidence, Result
from ralph.model.tasks import OutputSummary, Spec, Task
from ralph.model.verification import StringMatch
from ralph.store.journal import Begun, Journal, chained
from ralph.store.projects import project_at
from ralph.store.runs import add_run, part_id
from ralph.store.sql import Sql, Store
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import add_spec, add_tasks, change

LATEST, SPEC = "0a0a0a0a", "0b0b0b0b"
"""The runs that are looked at."""
ROLES = ("coder", "reviewer", "tester", "qa")
NOT_YET = "the answer has no response tag"
ITERATIONS = 19
"""Of a run with one guardrail and one note: 100 rows."""
AT_ONCE = 100
WORDS = "Build it, test it, and say so when it is done. " * 12
TAG = "End with <response>DONE</response>."
"""A prompt that names it gets no note about it."""

Perform = Callable[[Begun], Awaitable[Result]]


class History:
    """Writes runs of one project into a store."""

    def __init__(self, store: Store, project: Path) -> None:
        self.store = store
        self._loaded = _settings(project)
        self.project_id = project_at(store, project).id

    def prompt_run(self, run_id: str, iterations: int = ITERATIONS) -> None:
        """A run that has worked so many times, and was not done."""
        loop = PromptRun(limit=iterations, completion="DONE", prompt=WORDS + TAG, guardrails=(Guardrail("make test"),))
        self._drive(run_id, self._plan(prompt.NAME, loop))

    def spec_run(self, run_id: str, tasks: int) -> None:
        """A spec whose tasks have passed their four stages each."""
        stages = tuple(Stage(role, "DONE", StringMatch(), 5) for role in ROLES)
        loops = [
            TaskRun(spec="big", task=TaskText(f"T-{number}", "A task"), stages=stages) for number in range(1, tasks + 1)
        ]
        self._drive(run_id, self._plan(spec.NAME, SpecRun("big", tuple(map(SpecTask, loops)))))

    def copy(self, run_id: str, copies: int) -> None:
        """More runs like this one, each with a whole journal of its own."""
        [run] = self.store.read("SELECT * FROM runs WHERE id = :id", id=run_id)
        rows = self.store.read("SELECT * FROM journal WHERE run_id = :id ORDER BY n", id=run_id)
        for row in rows:
            del row["id"]
        for first in range(0, copies, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, copies))
            self.store.write(*(each for number in numbers for each in _copied(run, rows, number - copies)))

    def tasks(self, count: int) -> None:
        """Tasks of a spec that nobody works on."""
        made = [
            Task(id=f"TASK-{i:04}", spec_id="big", title=WORDS, created_at=1.0, updated_at=1.0) for i in range(count)
        ]
        big = add_spec(self.project_id, Spec(id="big", title="Big", created_at=1.0, updated_at=1.0))
        change(self.store, self.project_id, lambda: [big, *add_tasks(self.project_id, made)])

    def _plan(self, recipe: str, loop: Any) -> Plan:
        return make_plan(recipe, self._loaded.settings, self._loaded.merged, loop)

    def _drive(self, run_id: str, plan: Plan) -> None:
        add_run(self.store, new_run(plan, run_id, self.project_id))
        asyncio.run(self._driven(run_id, plan))

    async def _driven(self, run_id: str, plan: Plan) -> Journal:
        journal = Journal.take(self.store, run_id)
        driver = Driver(self.store, journal, self._performing(journal, plan), Stop())
        journal.close(await driver.drive(plan.kind.generator(plan.loop)))
        return journal

    def _performing(self, journal: Journal, plan: Plan) -> Perform:
        async def perform(begun: Begun) -> Result:
            action = begun.action
            if isinstance(action, RunChild):
                return await self._child(journal.run_id, action, plan)
            if isinstance(action, RunAgent) and action.iteration == 1:
                journal.note(begun, {"arrived": [[1000, begun.at + 1], [90_000, begun.at + 60]]})
            return RESULTS[type(action)]

        return perform

    async def _child(self, parent: str, action: RunChild, plan: Plan) -> ChildEnd:
        run_id = part_id(parent, action.part)
        options = msgspec.json.encode({"settings": plan.merged, "loop": action.loop})
        part = stored_plan(run_id, action.recipe, options)
        add_run(self.store, new_run(part, run_id, self.project_id, is_part=True))
        journal = await self._driven(run_id, part)
        return ChildEnd(run_id, "verified", "proven done", 0, journal.iterations, head=journal.head.hex())


def _settings(project: Path) -> Loaded:
    settings = project / ".ralph" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"agent": {"command": "claude"}}), encoding="utf-8")
    return load(project, environ={})


def _copied(run: dict[str, Any], rows: list[dict[str, Any]], before: int) -> list[Sql]:
    """`before`: so many seconds younger than the first one."""
    run_id = f"{before + (1 << 32):08x}"
    times = {name: run[name] + before for name in ("started_at", "active_at", "ended_at")}
    made = [_insert("runs", {**run, "id": run_id, **times})]
    head = b""
    for row in rows:
        values = {**row, "run_id": run_id, "at": row["at"] + before}
        head = values["hash"] = chained(head, values)
        made.append(_insert("journal", values))
    return made


def _insert(table: str, values: dict[str, Any]) -> Sql:
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    return Sql(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)  # noqa: S608 - names of columns


_worktree = Worktree(".ralph/worktrees/T", ".ralph/worktrees/T", "ralph/big--T", "0" * 40, "ralph/big")
_report = AgentReport(
    "ok", "it exited with code 0", ".ralph/runs/x/iteration-1", 0, 12.5, cost_usd=0.01, tokens=Tokens(900, 80), tools=7
)
RESULTS: dict[type[Any], Result] = {
    RunAgent: msgspec.structs.replace(_report, final=WORDS),
    RunCommand: Evidence("make test", passed=True, reason="exit code 0", exit_code=0, duration=3.0),
    ReadResponse: Evidence("response", passed=False, reason=NOT_YET),
    ReadClaim: Claim(promise="DONE"),
    GiveUp: Granted(),
    OpenWorktree: _worktree,
    SetUpWorktree: Evidence("init", passed=True, reason="nothing to prepare"),
    SaveWork: Saved("1" * 40, "2" * 40, changed=True),
    RecordEvidence: Recorded("promise", passed=True, reason="it is promised"),
    ReadPrompt: Prompt(),
    DeliverWork: Delivered("3" * 40),
    TakeSnapshot: Snapshot(),
    WriteProof: ProofWritten(),
    RecordStart: Start(tree="4" * 40),
    ReadWork: WorkSeen(OutputSummary("Made.")),
    KeepSummary: Summarised(OutputSummary("Made.")),
    FindVerifiedStages: VerifiedStages(),
}


def write_history(home: Path, project: Path, what: str, size: int) -> None:
    """`runs`: so many of them, the newest last, and some tasks. `spec`: one with so many tasks."""
    with SqliteStore(home) as store:
        history = History(store, project)
        if what == "spec":
            history.spec_run(SPEC, size)
            return
        history.prompt_run(LATEST)
        history.copy(LATEST, size - 1)
        history.tasks(100)


if __name__ == "__main__":
    write_history(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
