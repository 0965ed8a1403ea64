"""Child runs: stored first, then driven here or by another process. The store says how they ended."""

from typing import Any

import msgspec

from ralph.kernel.actions.checks import Rules
from ralph.kernel.actions.waiting import ChildEnd, FindVerifiedStages, RunChild, VerifiedStages
from ralph.loop.context import Attempt
from ralph.loop.plan import new_run, stored_plan
from ralph.loop.verifying import trees_of
from ralph.model.errors import Blocked, StateError
from ralph.model.runs import Run
from ralph.model.verdicts import SentBack
from ralph.store.journal import head_of, rows_of
from ralph.store.runs import add_run, get_run, options_of, part_id, runs_of_task, was_started_by_agent
from ralph.store.sql import Lost, Store

LOOK_AGAIN = 1.0
SENT_BACK = str(SentBack.__struct_config__.tag)


async def run_child(action: RunChild, attempt: Attempt) -> ChildEnd:
    """Run a child. Repeated after a kill, it finds the run that was stored."""
    from ralph.loop.run import drive_run

    context = attempt.run
    run_id = part_id(context.run_id, action.part)
    options = msgspec.json.encode({"settings": context.plan.merged, "loop": action.loop})
    plan = stored_plan(run_id, action.recipe, options)
    add_run(context.store, new_run(plan, run_id, context.project_id, is_part=True), if_missing=True)
    go_on = action.again > 0
    again = f"Start it again: ralph resume {context.run_id}"
    async for _ in context.store.rings(at_most=LOOK_AGAIN):
        run = get_run(context.store, run_id)
        if run is None:
            raise StateError(f"run {run_id} was removed while its parent waited for it.", again)
        if run.status == "ended" and not (go_on and run.verdict != "verified"):
            return _end(context.store, run)
        try:
            driven = await drive_run(context.store, run_id, context.stop, context.streams, plan=plan, go_on=go_on)
        except Lost:
            continue  # Another process has it: its end will ring.
        go_on = False
        now = get_run(context.store, run_id)
        if isinstance(driven.error, Blocked):
            # A person's decision is missing. Everything else continues without it.
            return _blocked(context.store, run_id, driven.error)
        if driven.error and (now is None or now.status != "ended"):
            # It can continue once that is fixed, and so can this one.
            raise driven.error
    raise StateError("the store no longer reports changes.", again)


async def find_verified_stages(action: FindVerifiedStages, attempt: Attempt) -> VerifiedStages:
    """The verified stages of the latest unfinished run, up to the first one that must work again."""
    run = attempt.run
    runs = runs_of_task(run.store, run.project_id, run.loop.task.id)
    whole = [each for each in runs if each.recipe == run.plan.recipe and each.id != run.run_id][-1:]
    # What a run of an agent verified, under its own settings, does not count for other runs.
    if not whole or whole[0].verdict == "verified" or was_started_by_agent(run.store, whole[0].id):
        return VerifiedStages()
    tree = (await attempt.repository(run.project / action.folder).look()).tree
    ends: list[ChildEnd] = []
    for stage in run.loop.stages:
        latest = [each for each in runs if each.parent_id == whole[0].id and _role(each) == stage.role][-1:]
        if (
            not latest
            or latest[0].verdict != "verified"
            or _asked_of(run.store, latest[0].id) != _as_stored((stage, run.loop.rules))
        ):
            break
        end = _end(run.store, latest[0])
        if not end.commit or await trees_of(attempt.repository(run.project), end.commit) != [tree]:
            break
        ends.append(end)
    return VerifiedStages(tuple(ends))


def _role(run: Run) -> str:
    """The role of a stage. One that worked again is `coder-2`."""
    return run.label.partition(" ")[2]


def _asked_of(store: Store, run_id: str) -> Any:
    """The stored options of a stage and its rules: under different ones its promise does not count."""
    loop = options_of(store, run_id)["loop"]
    return [loop["stage"], loop.get("rules", _as_stored(Rules()))]


def _as_stored(asked: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(asked))


def _blocked(store: Store, run_id: str, error: Blocked) -> ChildEnd:
    head = head_of(store, run_id).hex()
    return ChildEnd(run_id, Blocked.verdict, error.message, Blocked.exit_code, head=head)


def _end(store: Store, run: Run) -> ChildEnd:
    """The end of a child, from its journal."""
    [closed] = [row for row in rows_of(store, run.id) if row.what == "closed"][-1:]
    verdict = msgspec.json.decode(closed.body, type=dict[str, Any])
    back: dict[str, Any] = verdict if verdict["kind"] == SENT_BACK else {}
    return ChildEnd(
        run_id=run.id,
        verdict=run.verdict or "",
        reason=run.reason,
        exit_code=run.exit_code or 0,
        iterations=run.iterations,
        sent_back_to=back.get("stage", ""),
        why=back.get("why", ""),
        proof=verdict.get("proof", "word") if run.verdict == "verified" else "",
        commit=verdict.get("commit", ""),
        doubts=tuple(verdict.get("doubts", ())),
        head=closed.hash.hex(),
    )
