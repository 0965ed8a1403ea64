"""Removes a spec with its tasks, runs, iterations and discarded attempts. Its text and its branch belong to the
project.
"""

import os
from pathlib import Path

from msgspec import Struct

from ralph.app.runs.gc import forget
from ralph.app.tasks.specs import removable_tasks, remove_spec
from ralph.git.checkout import look_if_any
from ralph.git.command import Git
from ralph.git.discarded import discarded, drop
from ralph.git.repository import Change, Repository
from ralph.model.errors import ConfigError
from ralph.model.runs import ALIVE
from ralph.model.tasks import Spec
from ralph.store.files import cannot_write
from ralph.store.gc import Tree, trees_of_spec
from ralph.store.projects import known_project
from ralph.store.spec_files import remove_spec_state
from ralph.store.sql import Store
from ralph.store.tasks import get_spec
from ralph.workbench.bench import Workbench


class Removal(Struct, frozen=True):
    """What would be removed with a spec."""

    spec: Spec
    tasks: tuple[str, ...]
    trees: tuple[Tree, ...]
    refs: tuple[Change, ...]

    @property
    def runs(self) -> int:
        return sum(len(tree.members) for tree in self.trees)


async def plan_removal(store: Store, project: Path, spec_id: str, *, with_tasks: bool) -> Removal:
    """The removal. It raises a ConfigError if something prevents it; nothing has been touched then."""
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    tasks = removable_tasks(store, name, spec_id, with_tasks=with_tasks)
    found = trees_of_spec(store, name, spec_id, tasks)
    for tree in found:
        if alive := [member.id for member in tree.members if member.status in ALIVE]:
            raise ConfigError(f"run {alive[0]} of spec {spec_id} is active.", f"Stop it: ralph cancel {alive[0]}")
    runs = [member.id for tree in found for member in tree.members]
    return Removal(spec, tuple(tasks), tuple(found), tuple(await _refs(project, [*runs, *tasks])))


async def remove(store: Store, project: Path, removal: Removal, *, with_tasks: bool) -> tuple[str, ...]:
    """Remove the spec, and return why something still exists. The spec goes last, so that a removal can be retried."""
    name, spec_id = known_project(store, project), removal.spec.id
    forgotten = forget(store, name, removal.trees)
    if removal.refs:
        await drop(_repository(project), list(removal.refs))
    try:
        remove_spec_state(project, spec_id)
    except OSError as error:
        raise cannot_write(Path(error.filename or project), error, "Make it writable, then try again.") from error
    remove_spec(store, project, spec_id, with_tasks=with_tasks)
    return forgotten.problems


async def _refs(project: Path, owners: list[str]) -> list[Change]:
    bench = Workbench(project, os.environ, "look")
    return await discarded(Repository(bench), owners) if await look_if_any(Git(bench)) else []


def _repository(project: Path) -> Repository:
    return Repository(Workbench(project, os.environ, "look"))
