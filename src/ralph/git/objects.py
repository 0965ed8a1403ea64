"""Reading git objects: one process for all of them, and an object that does not match its name is refused."""

import asyncio
import os
import tempfile
from binascii import unhexlify
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from ralph.git.command import RESUME, Git
from ralph.git.loose_objects import StoredObject, hash_of, read_loose
from ralph.model.errors import StateError

IDLE = 0.5
"""After this many seconds without a question the process ends."""
AT_ONCE = 256
"""How many questions may wait for an answer. They fit into a pipe, so that asking never blocks."""
LARGEST_KEPT = 2 << 20
MOST_KEPT = 32 << 20
FOLDER = b"40000 "
MODE, STAGE = len("100644 "), len(" 0")


_Line = tuple[bytes, bytes]
"""A line of a folder, and the name to sort it by."""


class Objects:
    """The objects of a repository. Small objects that were read recently are kept."""

    def __init__(self, git: Git, folder: Path | None = None) -> None:
        """`folder` is where git keeps the objects, if that is known: those that are not packed are read from there."""
        self._git = git
        self._folder = folder
        self._session: _Session | None = None
        self._room = asyncio.Semaphore(AT_ONCE)
        self._kept: dict[str, StoredObject] = {}
        self._size = 0

    async def find(self, name: str) -> StoredObject | None:
        """The object with this hash, or with any other name that git knows, such as `HEAD^{tree}`."""
        if name in self._kept:
            return self._kept[name]
        if "\n" in name:
            return None
        found = read_loose(self._folder, name) if self._folder else None
        if found is None:
            async with self._room:
                found = await self._open_session().ask(name)
            if found:
                refuse_damaged(found)
        if found:
            self._keep(found)
        return found

    async def prefetch(self, names: Iterable[str]) -> None:
        """Read the objects together, so that they are available when they are asked for."""
        await asyncio.gather(*(self.find(name) for name in set(names) - self._kept.keys()))

    def _open_session(self) -> "_Session":
        if self._session is None or not self._session.is_open:
            self._session = _Session(self._git)
        return self._session

    def _keep(self, found: StoredObject) -> None:
        if len(found.content) > LARGEST_KEPT or found.name in self._kept:
            return
        self._kept[found.name] = found
        self._size += len(found.content)
        while self._size > MOST_KEPT:
            oldest = self._kept.pop(next(iter(self._kept)))
            self._size -= len(oldest.content)


def tree_hash(entries: Iterable[bytes], like: str) -> str:
    """The name of the tree with these files, each as `ls-files --stage` prints it."""
    folders: dict[bytes, list[_Line]] = {b"": []}
    for entry in entries:
        about, _, path = entry.partition(b"\t")
        folder, _, name = path.rpartition(b"/")
        if folder not in folders:
            _add_with_parents(folders, folder)
        folders[folder].append((name, about[:MODE] + name + b"\0" + unhexlify(about[MODE:-STAGE])))
    for path in sorted(folders, key=lambda each: each.count(b"/"), reverse=True):
        if path:
            parent, _, name = path.rpartition(b"/")
            line = FOLDER + name + b"\0" + unhexlify(_folder_hash(folders[path], like))
            # Git sorts a folder as if its name ended with a slash.
            folders[parent].append((name + b"/", line))
    return _folder_hash(folders[b""], like)


def _add_with_parents(folders: dict[bytes, list[_Line]], folder: bytes) -> None:
    while folder not in folders:
        folders[folder] = []
        folder = folder.rpartition(b"/")[0]


def _folder_hash(lines: list[_Line], like: str) -> str:
    return hash_of("tree", b"".join([line for _, line in sorted(lines)]), like)


def damaged(name: str) -> StateError:
    return StateError(f"the object {name} of git is not what its name says.", "See what is damaged: git fsck")


def refuse_damaged(found: StoredObject) -> None:
    """Refuse an object that does not match its name. Git trusts it: an agent that writes into `.git/objects` could
    change the past.
    """
    if hash_of(found.kind, found.content, found.name) != found.name:
        raise damaged(found.name)


class _Session:
    """A running `git cat-file --batch`, which answers in the order of the questions."""

    def __init__(self, git: Git) -> None:
        self.is_open = True
        self._git = git
        self._asked: deque[tuple[bytes, asyncio.Future[StoredObject | None]]] = deque()
        self._answers = Answers(self._answer)
        self._feed = -1
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._task = asyncio.create_task(self._serve())

    async def ask(self, name: str) -> StoredObject | None:
        line = os.fsencode(name) + b"\n"
        answer: asyncio.Future[StoredObject | None] = self._loop.create_future()
        self._asked.append((line, answer))
        self._last = self._loop.time()
        if self._feed >= 0:
            os.write(self._feed, line)
        return await answer

    async def _serve(self) -> None:
        # Those who wait for an answer get the failure.
        with suppress(Exception):
            await self._run()
        self.is_open = False
        for _, answer in self._asked:
            if not answer.done():
                answer.set_exception(StateError(f"git cat-file in {self._git.folder} ended too early.", RESUME))

    async def _run(self) -> None:
        with tempfile.TemporaryDirectory(prefix="ralph-objects-") as folder:
            names = Path(folder, "names")
            os.mkfifo(names, 0o600)
            # It is opened for reading and writing, so that opening does not wait for the other end.
            self._feed = os.open(names, os.O_RDWR | os.O_NONBLOCK)
            try:
                await self._converse(names)
            finally:
                self.is_open = False
                if self._feed >= 0:
                    os.close(self._feed)

    async def _converse(self, names: Path) -> None:
        started = self._git.start("cat-file", "--batch", env={}, stdin=names, stdout=self._answers.take)
        async with started as process:
            for line, _ in tuple(self._asked):
                os.write(self._feed, line)
            ended = asyncio.ensure_future(process.wait())
            while not ended.done() and self._is_wanted():
                await asyncio.wait({ended}, timeout=IDLE)
            self.is_open = False
            os.close(self._feed)
            self._feed = -1
            await ended

    def _is_wanted(self) -> bool:
        return bool(self._asked) or self._loop.time() - self._last < IDLE

    def _answer(self, found: StoredObject | None) -> None:
        _, answer = self._asked.popleft()
        if not answer.done():
            answer.set_result(found)


class Answers:
    """Parses the output of `cat-file --batch`."""

    def __init__(self, answered: Callable[[StoredObject | None], None]) -> None:
        self._answered = answered
        self._data = bytearray()
        self._header: tuple[str, str, int] | None = None

    def take(self, data: bytes) -> None:
        self._data += data
        while self._step():
            pass

    def _step(self) -> bool:
        if self._header is None:
            return self._take_header()
        name, kind, size = self._header
        if len(self._data) <= size:
            return False
        content = bytes(memoryview(self._data)[:size])
        del self._data[: size + 1]
        self._header = None
        self._answered(StoredObject(name, kind, content))
        return True

    def _take_header(self) -> bool:
        end = self._data.find(b"\n")
        if end < 0:
            return False
        words = bytes(self._data[:end]).decode(errors="replace").split(" ")
        del self._data[: end + 1]
        if len(words) == 3 and words[2].isdigit():  # noqa: PLR2004 - hash, kind and size
            self._header = words[0], words[1], int(words[2])
        else:
            self._answered(None)
        return True
