"""What runs now and what ran last: runs with their current action, and the runs that they started."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from ralph.app.runs.views import RunView, run_fields
from ralph.model.runs import Now, Run
from ralph.store.projects import find_project
from ralph.store.runs import find_run_id, forest_of, last_over, live_runs
from ralph.store.sql import Store


class Node(Struct, frozen=True):
    run: Run
    children: list["Node"]
    title: str = ""
    """The title of its task."""
    place: str = ""
    """Which task of its spec it is, such as `task 7 of 8`."""
    saying: str = ""
    """What its agent said or did last, if it was asked for and the agent is working."""

    @property
    def iteration(self) -> int:
        return max(self.run.iterations, self.run.now.iteration if self.run.now else 0)


class NodeView(RunView, frozen=True, kw_only=True, rename="camel"):
    limit: int | None
    label: str | None
    now: Now | None
    last_reason: str | None
    children: list["NodeView"]


def forest(store: Store, project: Path | None, run_id: str | None = None) -> list[Node]:
    """The run of this id; otherwise the active runs of the project (or of all projects), then the run that ended last.
    Each comes with all runs below it.
    """
    tops = [find_run_id(store, run_id)] if run_id else _tops(store, project)
    found = {run.id: run for run in forest_of(store, tops)}
    below: dict[str | None, list[Run]] = {}
    for run in found.values():
        below.setdefault(run.parent_id, []).append(run)
    return [_node(found[top], below) for top in tops if top in found and found[top].parent_id not in found]


def nodes(tops: Iterable[Node]) -> list[Node]:
    """All nodes, parents before their children."""
    return [each for top in tops for each in (top, *nodes(top.children))]


def node_view(node: Node) -> NodeView:
    run = node.run
    return NodeView(
        **run_fields(run),
        limit=run.limit,
        label=run.label or None,
        now=run.now,
        last_reason=run.last_reason or None,
        children=[node_view(child) for child in node.children],
    )


def _tops(store: Store, project: Path | None) -> list[str]:
    known = find_project(store, project) if project else None
    if project and known is None:
        return []
    where = known.id if known else None
    live = [run.id for run in live_runs(store, where)]
    last = last_over(store, where, live=len(live))
    return [*live, *([last.id] if last else [])]


def _node(run: Run, below: dict[str | None, list[Run]]) -> Node:
    return Node(run, [_node(child, below) for child in below.get(run.id, [])])
