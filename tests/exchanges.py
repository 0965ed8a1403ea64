"""Somebody else's plan in a project: imported, completed as a run would, and synced, without starting ralph."""

import asyncio

from ralph.app.exchange.importing import Request, import_spec
from ralph.app.exchange.syncing import sync_spec
from ralph.store.projects import project_at
from ralph.store.tasks import set_status, tasks_of
from ralph.testing import TempRepo
from stores import opened


class Exchange:
    def __init__(self, root):
        self.repo = TempRepo(root.resolve())
        self.repo.path.mkdir()
        self.repo.home.mkdir()
        self.path = self.repo.path
        self._opened = opened(root / "store")
        self.store = self._opened.__enter__()

    def close(self):
        self._opened.__exit__(None, None, None)

    def write(self, path, data):
        """Bytes as they are; text in UTF-8 with its own line ends."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return file

    def bytes(self, path):
        return (self.path / path).read_bytes()

    def import_all(self, given=None, **how):
        outcome = asyncio.run(import_spec(self.store, self.path, Request(given, **how)))
        assert not outcome.problems, outcome.problems
        return outcome.specs

    def imports(self, given=None, **how):
        [imported] = self.import_all(given, **how)
        return imported

    def sync(self, spec):
        return asyncio.run(sync_spec(self.store, self.path, spec))

    @property
    def project(self):
        return project_at(self.store, self.path).id

    def tasks(self, spec=None):
        return {task.id: task for task in tasks_of(self.store, self.project, spec)}

    def statuses(self, spec=None):
        return {task.id: task.status for task in self.tasks(spec).values()}

    def complete(self, *ids):
        """As the end of a verified run does."""
        for each in ids:
            set_status(self.store, self.project, each, "completed", 1)


def changed_lines(before, after):
    """The lines that differ, by their number from 1: what they were and what they are."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    assert len(old) == len(new)
    pairs = zip(old, new, strict=True)
    return {number: (was, now) for number, (was, now) in enumerate(pairs, 1) if was != now}
