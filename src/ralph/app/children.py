"""Runs that are parts of a run: the tasks of a spec, the stages of a task. One process drives them all."""

import time
from contextlib import nullcontext
from typing import Any

from ralph.app.drive_run import drive_run
from ralph.app.kinds import kind_of
from ralph.app.kinds.base import Crew, Table
from ralph.app.plan import plan_again
from ralph.kernel.actions import ChildEnd, RunChild
from ralph.model.runs import Run
from ralph.model.verdicts import SentBack, exit_code
from ralph.store.journal import Ended, Record
from ralph.store.runs import STEP, begin_run, children, take_over


class Children:
    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._spent = {"usd": 0.0, "tokens": 0, "seconds": 0.0}
        crew.journal.listen(self._account)
        self.table: Table = {RunChild: self._run}

    async def _run(self, action: RunChild, seq: int, attempt: int) -> ChildEnd:
        crew = self._crew
        child = self._begun_before(seq) if attempt > 1 else None
        resumed = child is not None
        run = take_over(crew.connection, child) if child else self._begin(action, seq)
        if resumed:
            from ralph.proc.tree import end_marked

            # What a killed ralph left running would work on the same files as the next attempt.
            end_marked(f"RALPH_RUN_ID={run.id}")
        plan = plan_again(run)
        began = time.monotonic()
        lock = plan.kind.lock(plan.loop)
        with crew.equipment.state.locked(lock) if lock else nullcontext():
            watcher = crew.watcher.below(action.name)
            driven = await drive_run(crew.connection, run, plan, watcher, crew.stop, resumed=resumed)
        verdict = driven.verdict
        if driven.error:
            raise driven.error
        back = verdict if isinstance(verdict, SentBack) else None
        return ChildEnd(
            run_id=run.id,
            verdict=verdict.kind,
            reason=verdict.reason,
            exit_code=exit_code(verdict),
            iterations=driven.run.iterations - getattr(plan.loop, "first", 1) + 1,
            sent_back_to=back.stage if back else "",
            why=back.why if back else "",
            duration=time.monotonic() - began,
            cost_usd=driven.run.cost_usd,
            tokens=driven.run.tokens,
        )

    def _begin(self, action: RunChild, seq: int) -> Run:
        kind = kind_of(action.recipe)
        assert kind  # noqa: S101 - the recipes of ours ask only for each other
        return begin_run(
            self._crew.connection,
            recipe=action.recipe,
            version=kind.version,
            project=self._crew.run.project,
            options={"settings": self._settings(), "loop": action.loop, STEP: seq},
            parent=self._crew.run.id,
            task=action.loop["task"]["id"],
        )

    def _begun_before(self, seq: int) -> Run | None:
        found = [run for run in children(self._crew.connection, self._crew.run.id) if run.options.get(STEP) == seq]
        return found[-1] if found else None

    def _settings(self) -> dict[str, Any]:
        """Those of the parent, with what is left of its budget."""
        budget = self._crew.equipment.settings.budget
        limits = {name: getattr(budget, name) for name in self._spent}
        left = {name: None if limit is None else limit - self._spent[name] for name, limit in limits.items()}
        return {**self._crew.merged, "budget": left}

    def _account(self, record: Record) -> None:
        if isinstance(record, Ended) and isinstance(record.result, ChildEnd):
            self._spent["usd"] += record.result.cost_usd or 0.0
            self._spent["tokens"] += record.result.tokens.total
            self._spent["seconds"] += record.result.duration
