"""Forget runs that are over: their rows, journals and files, in whole trees and never one that may still go on."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct
from sqlalchemy import Connection

from ralph.model.errors import ConfigError
from ralph.model.runs import RunStatus
from ralph.store.database import connect, transaction
from ralph.store.run_files import run_files
from ralph.store.run_gc import Member, Tree, remove_tree, remove_unreferenced_blobs, trees


class Wanted(Struct, frozen=True):
    """Which trees may go. Exactly one of `keep` and `older_than` (in seconds) is given."""

    keep: int | None = None
    older_than: float | None = None
    interrupted: bool = False

    @property
    def over(self) -> tuple[RunStatus, ...]:
        return ("ended", "interrupted") if self.interrupted else ("ended",)


class Collected(Struct):
    runs: int = 0
    size: int = 0
    """Bytes of files."""
    problems: list[str] = []
    """Why a tree that should have gone is still there."""


def collect(project: Path | None, wanted: Wanted, *, dry_run: bool) -> Collected:
    if (wanted.keep is None) == (wanted.older_than is None):
        given = "neither" if wanted.keep is None else "both"
        raise ConfigError(
            f"exactly one of --keep and --older-than is needed, {given} given.", "See: ralph runs gc --help"
        )
    connection = connect()
    done = Collected()
    projects = set[str]() if project is None else {str(project)}
    for tree in _chosen(trees(connection, None if project is None else str(project)), wanted):
        try:
            size = _size(tree)
            if not dry_run and not _remove(connection, tree, wanted):
                continue
        except OSError as error:
            done.problems.append(f"run {tree.root.id} stays: {error.strerror} ({error.filename})")
            continue
        done.runs += len(tree.members)
        done.size += size
        projects |= {member.project for member in tree.members}
    if not dry_run:
        done.problems += _clean_up(connection, projects)
    return done


def _chosen(found: list[Tree], wanted: Wanted) -> list[Tree]:
    if wanted.older_than is not None:
        since = time.time() - wanted.older_than
        found = [tree for tree in found if max(member.last_active for member in tree.members) < since]
    if wanted.keep is not None:
        by_project: defaultdict[str, list[Tree]] = defaultdict(list)
        for tree in found:
            by_project[tree.root.project].append(tree)
        found = [tree for newest_first in by_project.values() for tree in newest_first[wanted.keep :]]
    return [tree for tree in found if _is_over(tree, wanted)]


def _is_over(tree: Tree, wanted: Wanted) -> bool:
    return all(member.status in wanted.over for member in tree.members)


def _size(tree: Tree) -> int:
    size = 0
    for member in tree.members:
        with run_files(member.project) as files:
            size += files.size(member.id) if files else 0
    return size


def _remove(connection: Connection, tree: Tree, wanted: Wanted) -> bool:
    """Whether it went. Its files are only put aside: they come back if the database cannot be written."""
    with ExitStack() as undo:
        with transaction(connection):
            # Looked at again where nobody else can write: it may have been resumed, or may have got a child.
            now = trees(connection, root=tree.root.id)
            if not now or not _is_over(now[0], wanted):
                return False
            for member in now[0].members:
                undo.callback(_put_back, member)
                _put_aside(member)
            remove_tree(connection, tree)
        undo.pop_all()
    return True


def _put_aside(member: Member) -> None:
    with run_files(member.project) as files:
        if files:
            files.put_aside(member.id)


def _put_back(member: Member) -> None:
    with run_files(member.project) as files:
        if files:
            files.put_back(member.id)


def _clean_up(connection: Connection, projects: Iterable[str]) -> Iterator[str]:
    remove_unreferenced_blobs(connection)
    for project in projects:
        try:
            with run_files(project) as files:
                if files:
                    files.remove_put_aside()
        except OSError as error:
            yield f"files of removed runs in {project} stay: {error.strerror} ({error.filename})"
