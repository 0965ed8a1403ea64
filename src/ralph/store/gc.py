"""The removal of runs: which trees exist, whether they have ended, and how they are removed from the store."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct, field

from ralph.model.runs import RunStatus
from ralph.store.attempt_folders import SETUP
from ralph.store.owner import read_owner, status_now
from ralph.store.sql import Found, Sql, Store
from ralph.store.state_dir import NAME
from ralph.store.streams import About

_MEMBERS = """SELECT root.id AS root, run.id, run.project_id, run.status, run.owner, run.until, run.active_at
    FROM runs AS root JOIN runs AS run ON run.id = root.id OR run.id > root.id || '.' AND run.id < root.id || '/'
    WHERE root.id NOT LIKE :part"""
SPEC = "spec"
"""The recipe of a whole spec; its runs are labelled with the spec's id."""
_ORDER = " ORDER BY root.started_at DESC, root.id, length(run.id)"


_PLACES = """SELECT coalesce(body, data) AS body
    FROM journal LEFT JOIN blobs ON body IS NULL AND blobs.digest = journal.digest
    WHERE run_id = :run AND what = 'begun'
        AND (mark = 'head' OR key LIKE 'ask-model/%' OR key LIKE 'run-reviewer/%')"""


class _About(Struct):
    """Where a call writes its files, according to the row that begins it."""

    stream: About | None = None
    folder: str = ""


class _Named(Struct):
    id: str = ""
    role: str = ""


class _Loop(Struct):
    spec: str = ""
    task: _Named = field(default_factory=_Named)
    stage: _Named = field(default_factory=_Named)


class _Options(Struct):
    loop: _Loop = field(default_factory=_Loop)


class Member(Struct, frozen=True):
    """A run of a tree, with what is needed about its end. The options of thousands of runs are not loaded."""

    id: str
    project: str
    status: RunStatus
    last_active: float
    owner: str = ""


class Tree(Struct, frozen=True):
    """A run that no other run started, with all runs below it. The root comes first."""

    members: list[Member]

    @property
    def root(self) -> Member:
        return self.members[0]

    @property
    def last_active(self) -> float:
        return max(member.last_active for member in self.members)


def trees(store: Store, project: str | None = None, *, before: float | None = None) -> list[Tree]:
    """The trees whose root is in the project, the newest first. `before`: no run of the tree was active since then."""
    values: dict[str, Any] = {"part": "%.%"}
    text = _MEMBERS
    if project is not None:
        text, values["project"] = f"{text} AND root.project_id = :project", project
    if before is not None:
        text, values["before"] = f"{text} AND root.active_at < :before", before
    rows = store.read(text + _ORDER, **values)
    found = [Tree([_member(row) for row in members]) for _, members in groupby(rows, lambda row: row["root"])]
    return found if before is None else [tree for tree in found if tree.last_active < before]


def trees_of_spec(store: Store, project: str, spec: str, tasks: Iterable[str]) -> list[Tree]:
    """The trees whose root is a run of the spec or of one of these tasks."""
    rows = store.read(
        "SELECT id, recipe, label, task_id FROM runs WHERE project_id = :project AND id NOT LIKE :part",
        project=project,
        part="%.%",
    )
    own = set(tasks)
    roots = {row["id"] for row in rows if row["task_id"] in own or (row["recipe"], row["label"]) == (SPEC, spec)}
    return [tree for tree in trees(store, project) if tree.root.id in roots] if roots else []


def removal(tree: Tree) -> list[Sql]:
    """The statements that remove a tree, with its journals and control words. All are refused if one of its runs was
    taken meanwhile, or a new one was added.
    """
    one = "DELETE FROM runs WHERE id = :id AND active_at = :active AND coalesce(owner, '') = :owner"
    gone = [Sql(one, {"id": each.id, "active": each.last_active, "owner": each.owner}, must=1) for each in tree.members]
    below = "DELETE FROM runs WHERE id > :root || '.' AND id < :root || '/'"
    return [*gone, Sql(below, {"root": tree.root.id}, must=0)]


def folders_elsewhere(store: Store, run_id: str) -> list[str]:
    """The folders below `.ralph/` in which a run of a task or a spec wrote beside the attempts of other runs."""
    places = [_elsewhere(row) for row in store.read(_PLACES, run=run_id)]
    found = dict.fromkeys(place for place in places if place)
    runs = store.read("SELECT options FROM runs WHERE id = :run", run=run_id)
    home = _home(runs[0]) if runs else ""
    # The parts of an iteration are removed with it.
    own = [each for each in found if not any(str(above) in found for above in PurePosixPath(each).parents)]
    return [*own, *([f"{home}/{SETUP}-{run_id}"] if home else [])]


def _elsewhere(row: Found) -> str:
    """The directory of an iteration, if it is not below the run's own."""
    about = msgspec.json.decode(row["body"] or b"{}", type=_About)
    path = PurePosixPath(about.stream.path if about.stream else about.folder).parent
    below = str(path.relative_to(NAME)) if path.is_relative_to(NAME) else ""
    return below if below.startswith("specs/") else ""


def _home(run: Found) -> str:
    """The folder of the run's attempts, according to its options."""
    try:
        loop = msgspec.json.decode(run["options"], type=_Options).loop
    except msgspec.DecodeError:
        return ""
    if not loop.spec or not loop.task.id:
        return ""
    return f"specs/{loop.spec}/iterations/{loop.task.id}" + (f"/{loop.stage.role}" if loop.stage.role else "")


def remove_unreferenced_blobs(store: Store) -> None:
    store.write(
        Sql(
            """DELETE FROM blobs WHERE NOT EXISTS (
                SELECT 1 FROM journal WHERE journal.body IS NULL AND journal.digest = blobs.digest)"""
        )
    )


def _member(row: Found) -> Member:
    status = status_now(row["status"], read_owner(row["owner"]), row["until"])
    return Member(row["id"], row["project_id"], status, row["active_at"], row["owner"] or "")
