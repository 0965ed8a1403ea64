"""More about the runs of a tree, for a person who watches: titles, places in their spec, what agents say."""

from typing import Any

from msgspec.structs import replace

from ralph.app.runs.saying import last_said
from ralph.app.runs.tree import Node, nodes
from ralph.model.errors import ConfigError
from ralph.store.projects import folder_of
from ralph.store.runs import options_of
from ralph.store.sql import Store
from ralph.store.tasks import titles_of_tasks

SPEC = "spec"


def told(store: Store, tops: list[Node]) -> list[Node]:
    """The same trees, with details from tasks and streams."""
    titles = titles_of_tasks(store, (node.run.project for node in nodes(tops)))
    return [_told(store, top, titles, {}) for top in tops]


def _told(store: Store, node: Node, titles: dict[tuple[str, str], str], places: dict[str, str]) -> Node:
    run = node.run
    below = _places(store, run.id) if run.recipe == SPEC else {}
    is_task = run.task_id is not None and run.label == run.task_id
    return replace(
        node,
        title=titles.get((run.project, run.task_id or ""), "") if is_task else "",
        place=places.get(run.task_id or "", "") if is_task else "",
        saying=_saying(store, node) if run.is_alive and not node.children else "",
        children=[_told(store, child, titles, below) for child in node.children],
    )


def _places(store: Store, run_id: str) -> dict[str, str]:
    """The position of each task in its spec, in the order in which the spec was planned."""
    options: dict[str, Any] = options_of(store, run_id)
    tasks = options.get("loop", {}).get("tasks", [])
    ids = [each.get("loop", {}).get("task", {}).get("id", "") for each in tasks]
    return {task: f"task {number} of {len(ids)}" for number, task in enumerate(ids, start=1) if task}


def _saying(store: Store, node: Node) -> str:
    try:
        return last_said(store, node.run.id, folder_of(store, node.run.project))
    except ConfigError:
        # It runs on another machine.
        return ""
