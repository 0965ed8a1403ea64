"""Task ids are unique in a project: a task whose id another spec has gets its own spec's id before it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ralph.kernel.task_rules import LONGEST_ID
from ralph.model.tasks import Task


class Renamed(NamedTuple):
    spec: str
    given: str
    name: str
    """The id in the project."""
    other: str
    """The spec that has the given id."""

    def __str__(self) -> str:
        return f"{self.given} is {self.name} here: the spec {self.other} has a task {self.given}"


class Fitted(NamedTuple):
    tasks: list[Task]
    """The tasks under their ids in the project; their dependencies follow."""
    renamed: list[Renamed]


def with_own_ids(tasks: Sequence[Task], taken: Mapping[str, str]) -> Fitted:
    """These tasks with ids that are free in the project. `taken` has the spec of every task that already exists."""
    used, given = dict(taken), {(task.spec_id, task.id) for task in tasks}
    renamed: list[Renamed] = []
    for task in tasks:
        name = own_id(task.spec_id, task.id, used, avoid={name for spec, name in given if spec == task.spec_id})
        if name != task.id:
            renamed.append(Renamed(task.spec_id, task.id, name, used.get(task.id, "")))
        used.setdefault(name, task.spec_id)
    names = {(each.spec, each.given): each.name for each in renamed}
    return Fitted([_fitted(task, names) for task in tasks], renamed)


def own_id(spec: str, name: str, taken: Mapping[str, str], avoid: frozenset[str] | set[str] = frozenset()) -> str:
    """The id of a task that its spec calls `name`. A task that was renamed before keeps that name, even if the other
    spec is gone. `avoid` are names that the spec uses itself.
    """
    number, found = 1, prefixed(spec, name)
    if name not in taken:
        return found if taken.get(found) == spec and found not in avoid else name
    if taken[name] == spec:
        return name
    while taken.get(found, spec) != spec or found in avoid:
        number += 1
        found = prefixed(spec, f"{name}-{number}")
    return found


def prefixed(spec: str, name: str) -> str:
    """The id with its spec's id before it: `cart-T001`. A long spec id is cut, so that the whole is a valid id."""
    return f"{spec[: max(1, LONGEST_ID - len(name) - 1)].rstrip('.-_')}-{name}"


def _fitted(task: Task, names: Mapping[tuple[str, str], str]) -> Task:
    own = names.get((task.spec_id, task.id), task.id)
    needs = tuple(dict.fromkeys(names.get((task.spec_id, each), each) for each in task.dependencies))
    return task if (own, needs) == (task.id, task.dependencies) else replace(task, id=own, dependencies=needs)
