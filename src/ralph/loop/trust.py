"""What a run trusts when it begins (settings files, tasks with their criteria, what their specs set, how git reaches
remotes), and whether that changed later.

The content is sealed with the run's options in the journal. This is evidence of changes from outside, not a protection:
an agent that runs as the same user can reach all of it.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ralph.config.files import settings_files
from ralph.config.read import LARGEST
from ralph.git.remote_settings import FILE as GIT
from ralph.git.remote_settings import remote_settings
from ralph.model.runs import ALIVE
from ralph.store.owner import BEAT, TTL, is_free, read_owner
from ralph.store.projects import get_project
from ralph.store.sql import Found, Store
from ralph.store.tasks import specs_of_tasks, trusted_spec, trusted_task
from ralph.store.trusted_changes import TrustedChange, keeping_change, trusted_changes

Seals = dict[str, bytes | None]
"""The trusted content by the name of a settings file, a task or a spec, or of git's; None for what did not exist."""
TASK, SPEC = "task ", "spec "
_RUN = "SELECT id, options, owner, until, active_at"


class Seen(NamedTuple):
    data: bytes | None
    at: float
    """When it last changed: for a file by its inode, for a task or a spec by ralph's own writes."""


class Watched(NamedTuple):
    """A run whose trusted things are checked."""

    store: Store
    project_id: str
    project: Path
    run_id: str
    seals: Seals


def seal(store: Store, project_id: str, project: Path, tasks: Iterable[str]) -> Seals:
    own = list(tasks)
    specs = specs_of_tasks(store, project_id, own)
    names = [*_files(project), GIT, *(f"{TASK}{each}" for each in own), *(f"{SPEC}{each}" for each in specs)]
    return {name: seen.data for name, seen in look(store, project_id, project, names).items()}


def look(store: Store, project_id: str, project: Path, names: Iterable[str]) -> dict[str, Seen]:
    """The current state of these names. A name that means nothing here is left out."""
    files = _files(project)
    found: dict[str, Seen] = {}
    for name in names:
        if name in files:
            found[name] = _file(files[name])
        elif name == GIT:
            found[name] = _git(project)
        elif name.startswith(TASK):
            there = trusted_task(store, project_id, name.removeprefix(TASK))
            found[name] = Seen(*there) if there else Seen(None, 0.0)
        elif name.startswith(SPEC):
            there = trusted_spec(store, project_id, name.removeprefix(SPEC))
            found[name] = Seen(*there) if there else Seen(None, 0.0)
    return found


def note_end(run: Watched) -> None:
    """Record changes at the end of a run, or when it stops being driven: they were made while it was active."""
    _note(run, lambda _at: True)


def note_before(run: Watched, left_at: float | None) -> None:
    """Record changes before a run continues. Those made while nobody drove it are a person's; those made before its
    process died are not.

    `left_at` is None if the process that had it checked this itself when it released the run.
    """
    _note(run, lambda at: left_at is not None and at <= left_at)


def note_dead(store: Store, run_id: str) -> None:
    """Record changes for a run that another process ends because its own process died."""
    [row] = store.read(f"{_RUN}, project_id, is_part FROM runs WHERE id = :id", id=run_id)
    folder = get_project(store, row["project_id"]).path
    if row["owner"] and not row["is_part"] and folder:
        _note_under_way(store, row["project_id"], Path(folder), row)


def open_changes(store: Store, project_id: str, project: Path) -> list[TrustedChange]:
    """The changes that were made while a run was active, and were neither accepted nor undone. Active runs are checked,
    and those whose process died.
    """
    statuses = ", ".join(f"'{each}'" for each in ALIVE)
    text = f"{_RUN} FROM runs WHERE status IN ({statuses}) AND is_part = 0 AND project_id = :project"
    for row in store.read(text, project=project_id):
        _note_under_way(store, project_id, project, row)
    return [each for each in trusted_changes(store, project_id) if _stands(store, project_id, project, each)]


def abandoned_at(store: Store, run_id: str) -> float | None:
    """When the process that had the run died; None if it released the run, or is alive."""
    [row] = store.read("SELECT owner, until, active_at FROM runs WHERE id = :id", id=run_id)
    owner = read_owner(row["owner"])
    return _died_at(row) if owner and is_free(owner, row["until"]) else None


def _died_at(row: Found) -> float:
    """The latest time at which a dead process can have died: every beat shows that it is alive."""
    return max(row["active_at"], row["until"] - TTL) + BEAT


def _note_under_way(store: Store, project_id: str, project: Path, row: Found) -> None:
    seals = seals_in(bytes(row["options"]))
    run = Watched(store, project_id, project, row["id"], seals)
    if is_free(read_owner(row["owner"]), row["until"]):
        note_before(run, _died_at(row))
    else:
        note_end(run)


def seals_in(options: bytes) -> Seals:
    try:
        return msgspec.convert(msgspec.json.decode(options).get("seals", {}), Seals)
    except (msgspec.DecodeError, msgspec.ValidationError, AttributeError):
        # The next process that takes it will find that its options are not those that it was started with.
        return {}


def _note(run: Watched, is_during: Callable[[float], bool]) -> None:
    if not run.seals:
        return
    known = {each.name: each for each in trusted_changes(run.store, run.project_id) if each.run_id == run.run_id}
    own, started_at = _tasks_of(run), _started_at(run)
    found: list[TrustedChange] = []
    for name, seen in look(run.store, run.project_id, run.project, run.seals).items():
        before = known[name].after if name in known else run.seals[name]
        if seen.data == before:
            continue
        if name in known and not known[name].settled:
            found.append(replace(known[name], after=seen.data))
            continue
        # A task that nobody works on may be edited while a run of others is active.
        is_edited = name.startswith(TASK) and name not in own and seen.at >= started_at
        settled = "" if is_during(seen.at) and not is_edited else "person"
        found.append(TrustedChange(name, run.run_id, before, seen.data, settled))
    if found:
        run.store.write(*(keeping_change(run.project_id, each) for each in found), sync=True)


def _tasks_of(run: Watched) -> set[str]:
    """The tasks that the run or a part of it worked on."""
    text = "SELECT task_id FROM runs WHERE (id = :id OR id > :id || '.' AND id < :id || '/') AND task_id IS NOT NULL"
    return {f"{TASK}{row['task_id']}" for row in run.store.read(text, id=run.run_id)}


def _started_at(run: Watched) -> float:
    [row] = run.store.read("SELECT started_at FROM runs WHERE id = :id", id=run.run_id)
    return row["started_at"]


def _stands(store: Store, project_id: str, project: Path, change: TrustedChange) -> bool:
    if change.settled:
        return False
    now = look(store, project_id, project, [change.name]).get(change.name)
    if now is None or now.data != change.before:
        return now is not None
    store.write(keeping_change(project_id, replace(change, after=now.data, settled="restored")))
    return False


def _files(project: Path, environ: Mapping[str, str] | None = None) -> dict[str, Path]:
    return dict(settings_files(project, os.environ if environ is None else environ))


def _file(path: Path) -> Seen:
    """The state of a file; a file that is not regular counts as missing. Unlike mtime, the inode's time cannot be set
    back.
    """
    try:
        status: Any = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return Seen(None, status.st_ctime)
        with path.open("rb") as file:
            return Seen(file.read(LARGEST + 1), status.st_ctime)
    except OSError:
        return Seen(None, _changed_at(path.parent))


def _git(project: Path) -> Seen:
    times = [0.0]

    def read(path: Path) -> bytes | None:
        seen = _file(path)
        if seen.data is not None:
            times.append(seen.at)
        return seen.data

    return Seen(remote_settings(project, read), max(times))


def _changed_at(folder: Path) -> float:
    try:
        return folder.stat().st_ctime
    except OSError:
        return 0.0
