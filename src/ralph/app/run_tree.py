"""What runs now and what ran last: runs with what they are doing, and the runs that they started."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from ralph.app.inspect import action_name, run_json
from ralph.app.kinds import kind_of
from ralph.kernel.actions import (
    AnyAction,
    ChildEnd,
    Claim,
    ReadClaim,
    ReadResponse,
    Restart,
    RunChild,
    RunCommand,
    Wait,
    WaitForChildren,
)
from ralph.kernel.stage_text import claim_problem
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.runs import Entry, Run
from ralph.store.database import connect
from ralph.store.run_tree import LIVE, last_over, latest_results, live_runs, open_entry, with_descendants
from ralph.store.runs import find_run

_action = msgspec.json.Decoder(AnyAction)


class Now(Struct, frozen=True):
    """What a run is doing at this moment."""

    doing: str
    iteration: int
    since: float
    until: float | None = None
    """When the waiting will end, if it waits."""


class Node(Struct, frozen=True):
    run: Run
    limit: int | None
    label: str
    """What it works on, such as a task and a role."""
    now: Now | None
    last_reason: str
    """What the latest check that did not pass, or the latest agent that failed, had to say."""
    children: list["Node"]

    @property
    def is_live(self) -> bool:
        return self.run.status in LIVE

    @property
    def iteration(self) -> int:
        return max(self.run.iterations, self.now.iteration if self.now else 0)


def looker(project: Path | None, run_id: str | None) -> Callable[[], list[Node]]:
    """A look at the forest that can be taken again and again."""
    return partial(forest, connect(), project=project, run_id=run_id)


def forest(connection: Connection, *, project: Path | None, run_id: str | None = None) -> list[Node]:
    """The run of this id; else what lives in the project (or anywhere), and last what ran last. With all below them."""
    if run_id:
        tops = [find_run(connection, run_id)]
    else:
        where = None if project is None else str(project)
        tops = live_runs(connection, where)
        last = last_over(connection, where, live=len(tops))
        tops += [last] if last else []
    found = {run.id: run for run in with_descendants(connection, [top.id for top in tops])}
    below: dict[str | None, list[Run]] = {}
    for run in found.values():
        below.setdefault(run.parent_id, []).append(run)
    return [_node(connection, found[top.id], below) for top in tops if top.id in found and top.parent_id not in found]


def nodes(tops: list[Node]) -> list[Node]:
    """All of them, parents before their children."""
    return [each for top in tops for each in (top, *nodes(top.children))]


def node_json(node: Node) -> dict[str, Any]:
    return {
        **run_json(node.run),
        "limit": node.limit,
        "label": node.label or None,
        "now": node.now and msgspec.to_builtins(node.now),
        "lastReason": node.last_reason or None,
        "children": [node_json(child) for child in node.children],
    }


def _node(connection: Connection, run: Run, below: dict[str | None, list[Run]]) -> Node:
    limit, label = _loop_facts(run)
    return Node(
        run=run,
        limit=limit,
        label=label,
        now=_now(connection, run),
        last_reason=_last_reason(connection, run),
        children=[_node(connection, child, below) for child in below.get(run.id, [])],
    )


def _loop_facts(run: Run) -> tuple[int | None, str]:
    """After how many iterations it gives up, and what it works on."""
    kind = kind_of(run.recipe)
    if kind is None or kind.version != run.recipe_version:
        return None, ""
    loop = msgspec.convert(run.options["loop"], kind.options)
    return kind.limit(loop), kind.label(loop)


def _now(connection: Connection, run: Run) -> Now | None:
    entry = open_entry(connection, run.id) if run.status in LIVE else None
    if entry is None:
        return None
    action = _action.decode(entry.action)
    return Now(_doing(action), entry.iteration, entry.started_at, _until(action, entry))


def _doing(action: AnyAction) -> str:
    match action:
        case Wait(reason=reason):
            return f"waiting: {reason}"
        case Restart():
            return "waiting to restart"
        case WaitForChildren():
            return "waiting for child runs"
        case _:
            return action_name(action)


def _until(action: AnyAction, entry: Entry) -> float | None:
    match action:
        case Wait(until=until, seconds=seconds):
            return until or entry.started_at + seconds
        case Restart(seconds=seconds) | WaitForChildren(seconds=seconds):
            return entry.started_at + seconds
        case _:
            return None


def _last_reason(connection: Connection, run: Run) -> str:
    for action, result, error in latest_results(connection, run.id):
        if reason := error or _complaint(_action.decode(action), result):
            return reason
    return ""


def _complaint(action: AnyAction, data: bytes | None) -> str:
    result = None if data is None else msgspec.json.decode(data, type=action.result)
    match action, result:
        case _, AgentReport(reason=reason) if not result.ok:
            return f"agent: {reason}"
        case _, Evidence(passed=False, reason=reason):
            return f"{_name_of_check(action, result)}{reason}"
        case ReadClaim(expected=expected, earlier=earlier), Claim():
            return claim_problem(result, expected, earlier)
        case RunChild(name=name), ChildEnd(verdict=verdict, reason=reason) if verdict != "verified":
            return f"{name}: {reason}"
        case _:
            return ""


def _name_of_check(action: AnyAction, seen: Evidence) -> str:
    match action:
        case RunCommand():
            return f"guardrail {seen.check}: "
        case ReadResponse():
            return ""
        case _:
            return f"{seen.check}: "
