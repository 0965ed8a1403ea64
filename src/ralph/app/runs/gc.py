"""Removes ended runs: their rows, journals and files, in whole trees and never one that may still continue."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from msgspec import Struct

from ralph.model.errors import ConfigError
from ralph.model.runs import RunStatus
from ralph.store.gc import Member, Tree, folders_elsewhere, removal, remove_unreferenced_blobs, trees
from ralph.store.projects import find_project, projects_by_id
from ralph.store.run_files import run_files
from ralph.store.runs import exists
from ralph.store.sql import Lost, Store


class Wanted(Struct, frozen=True):
    """Which trees may be removed. Exactly one of `keep` and `older_than` (in seconds) is given."""

    keep: int | None = None
    older_than: float | None = None
    interrupted: bool = False

    @property
    def over(self) -> tuple[RunStatus, ...]:
        return ("ended", "interrupted") if self.interrupted else ("ended",)


class Collected(Struct, frozen=True):
    runs: int = 0
    size: int = 0
    """The bytes of the files."""
    problems: tuple[str, ...] = ()
    """Why a tree that should be removed still exists."""
    gone: tuple[tuple[str, str], ...] = ()
    """The removed runs, each with the path of its project on this machine."""


def collect(store: Store, project: Path | None, wanted: Wanted, *, dry_run: bool) -> Collected:
    """Remove the wanted trees of this project, or of all."""
    _require_one(wanted)
    forgetting = _Forgetting(store, dry_run=dry_run)
    if project is None:
        return forgetting.forget(_chosen(store, None, wanted), set())
    known = find_project(store, project)
    return forgetting.forget(_chosen(store, known.id, wanted), {known.id}) if known else Collected()


def forget(store: Store, project: str, found: Iterable[Tree]) -> Collected:
    """Remove these trees of a project, whatever their verdict. A tree that was resumed in the meantime stays."""
    return _Forgetting(store, dry_run=False).forget(found, {project})


def without_files(store: Store, found: Iterable[Tree]) -> None:
    """Remove these trees from the store alone: what the runs wrote in the project stays."""
    for tree in found:
        with suppress(Lost):
            store.write(*removal(tree))


class _Forgetting:
    def __init__(self, store: Store, *, dry_run: bool) -> None:
        self._store = store
        self._dry_run = dry_run
        self._paths = {project.id: project.path for project in projects_by_id(store).values()}
        """The paths of projects on this machine. What a run wrote on another one stays there."""

    def forget(self, found: Iterable[Tree], touched: set[str]) -> Collected:
        """Remove the trees. `touched` are the projects in which there may be something to clean up."""
        size = 0
        gone: list[Member] = []
        problems: list[str] = []
        for tree in found:
            try:
                bytes_of_files = self._size(tree)
                if not self._dry_run and not self._remove(tree):
                    continue
            except OSError as error:
                problems.append(f"run {tree.root.id} stays: {error.strerror} ({error.filename})")
                continue
            gone += tree.members
            size += bytes_of_files
            touched |= {member.project for member in tree.members}
        if not self._dry_run:
            problems += self._clean_up(touched)
        there = () if self._dry_run else tuple((self._path(each), each.id) for each in gone)
        return Collected(len(gone), size, tuple(problems), there)

    def _size(self, tree: Tree) -> int:
        size = 0
        for member in tree.members:
            with run_files(self._path(member)) as files:
                size += files.size(member.id, folders_elsewhere(self._store, member.id)) if files else 0
        return size

    def _remove(self, tree: Tree) -> bool:
        """Remove a tree, and return whether that worked. Its files are only set aside first: they come back if the
        store refuses the removal.
        """
        with ExitStack() as undo:
            for member in tree.members:
                undo.callback(self._put_back, member)
                self._put_aside(member)
            try:
                self._store.write(*removal(tree))
            except Lost:
                return False  # It was resumed since we looked, or got a child.
            undo.pop_all()
        return True

    def _put_aside(self, member: Member) -> None:
        with run_files(self._path(member)) as files:
            if files:
                files.put_aside(member.id, folders_elsewhere(self._store, member.id))

    def _put_back(self, member: Member) -> None:
        with run_files(self._path(member)) as files:
            if files:
                files.put_back(member.id)

    def _clean_up(self, projects: Iterable[str]) -> Iterator[str]:
        remove_unreferenced_blobs(self._store)
        for path in sorted({self._paths.get(project, "") for project in projects}):
            try:
                self._remove_put_aside(path)
            except OSError as error:
                yield f"files of removed runs in {path} stay: {error.strerror} ({error.filename})"

    def _remove_put_aside(self, path: str) -> None:
        with run_files(path) as files:
            if files is None:
                return
            for run_id in files.set_aside:
                if exists(self._store, run_id):
                    files.put_back(run_id)  # The gc that put it aside was killed before it removed the run.
                else:
                    files.remove_put_aside(run_id)

    def _path(self, member: Member) -> str:
        return self._paths.get(member.project, "")


def _chosen(store: Store, project: str | None, wanted: Wanted) -> list[Tree]:
    before = None if wanted.older_than is None else time.time() - wanted.older_than
    found = trees(store, project, before=before)
    if wanted.keep is not None:
        found = _but_the_newest(found, wanted.keep)
    return [tree for tree in found if all(member.status in wanted.over for member in tree.members)]


def _require_one(wanted: Wanted) -> None:
    if (wanted.keep is None) == (wanted.older_than is None):
        given = "neither" if wanted.keep is None else "both"
        raise ConfigError(
            f"exactly one of --keep and --older-than is needed, {given} given.", "See: ralph runs gc --help"
        )


def _but_the_newest(found: list[Tree], keep: int) -> list[Tree]:
    """All trees except for the newest `keep` of each project; the newest come first."""
    by_project: defaultdict[str, list[Tree]] = defaultdict(list)
    for tree in found:
        by_project[tree.root.project].append(tree)
    return [tree for newest_first in by_project.values() for tree in newest_first[keep:]]
