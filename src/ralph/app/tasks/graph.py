"""The dependency graph of a spec, as text, Mermaid, DOT or JSON show it."""

from pathlib import Path

from msgspec import Struct

from ralph.app.tasks.listing import state_of
from ralph.kernel.task_rules import in_order
from ralph.store.projects import known_project
from ralph.store.runs import runs_under_way
from ralph.store.sql import Store
from ralph.store.tasks import get_spec, tasks_of


class GraphTask(Struct, frozen=True, rename="camel"):
    id: str
    title: str
    status: str
    spec_id: str
    """The spec, if it is another than that of the graph and one of its tasks depends on this one."""
    dependencies: tuple[str, ...]
    """The dependencies among the tasks of the graph."""


class SpecGraph(Struct, frozen=True, rename="camel"):
    id: str
    title: str
    tasks: list[GraphTask]
    """The tasks in the order in which they run. Tasks of other specs are included if one of these depends on them
    directly."""


def spec_graph(store: Store, project: Path, spec_id: str) -> SpecGraph:
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    under_way = runs_under_way(store, name)
    everything = in_order(tasks_of(store, name))
    own = [task for task in everything if task.spec_id == spec.id]
    wanted = {task.id for task in own} | {need for task in own for need in task.dependencies}
    return SpecGraph(
        spec.id,
        spec.title,
        [
            GraphTask(
                task.id,
                task.title,
                state_of(task, under_way),
                task.spec_id,
                tuple(need for need in task.dependencies if need in wanted),
            )
            for task in everything
            if task.id in wanted
        ],
    )
