"""Writes lines, in a thread of its own where that could take long: a slow terminal must not slow the agent down."""

import fcntl
import os
import select
import stat
import termios
import threading
from array import array
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import NamedTuple, TextIO

BACKLOG, BACKLOG_CHARACTERS = 2000, 4_000_000
"""What may wait to be written, in pieces and in characters."""
PATIENCE = 10.0
"""How many seconds, at the end, a terminal may take to show what is left."""
WITHOUT_WAITING = select.PIPE_BUF
"""The most bytes that a pipe takes at once if it says that it takes any. An empty one takes as many as it holds."""
ANY_SIZE = 1 << 30


class Written(NamedTuple):
    """A text, and where it goes."""

    stream: TextIO
    text: str


Job = Callable[[], None] | Written


class Printer:
    """Writes at once what a pipe, a file or /dev/null takes without waiting: waking a thread costs more than most lines
    do. Everything else is written in a thread, in few large pieces.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._jobs: list[Job] = []
        self._changed = threading.Condition()
        self._pieces = self._characters = 0
        """What is not written yet."""
        self._working = False
        self._thread: threading.Thread | None = None
        self._ready: dict[int, Callable[[], int]] = {}
        """How many bytes can be written now, by the descriptor."""

    @property
    def has_room(self) -> bool:
        """Whether the terminal keeps up. If it does not, what is offered is left out, and need not be made."""
        return self._pieces < BACKLOG and self._characters < BACKLOG_CHARACTERS

    def put(self, job: Job) -> None:
        """Do a job now, or queue it. It is always done, in its turn."""
        if isinstance(job, Written) and not self._jobs and not self._working:
            left = self._written_now(job)
            if not left:
                return
            job = partial(_write, job.stream, left)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="printer", daemon=True)
            self._thread.start()
        with self._changed:
            self._jobs.append(job)
            self._pieces += 1
            self._characters += _length(job)
            if not self._working and len(self._jobs) == 1:
                self._changed.notify_all()

    def offer(self, job: Job) -> None:
        """Do a job now, or queue it. If the terminal is too far behind, the job is left out and counted."""
        if self.has_room:
            self.put(job)
        else:
            self.dropped += 1

    def drain(self) -> None:
        """Wait until everything is written, with a limit if nobody reads."""
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs and not self._working, PATIENCE)

    def _written_now(self, job: Written) -> bytes:
        """Write as much as is possible without waiting, and return the rest."""
        data = _encoded(job.stream, job.text)
        with suppress(OSError, ValueError):
            file = job.stream.fileno()
            if file not in self._ready:
                self._ready[file] = _readiness(file)
            while data and (most := self._ready[file]()):
                data = data[os.write(file, data[:most]) :]
        return data

    def _work(self) -> None:
        while True:
            with self._changed:
                self._working = False
                if not self._jobs:
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: bool(self._jobs))
                # In this order, because `put` looks without the lock: if it sees no job, it must see the work.
                self._working = True
                jobs, self._jobs = self._jobs, []
            for stream, together in groupby(jobs, key=_stream):
                _do(stream, together)
            with self._changed:
                self._pieces -= len(jobs)
                self._characters -= sum(map(_length, jobs))


def _length(job: Job) -> int:
    return len(job.text) if isinstance(job, Written) else 0


def _stream(job: Job) -> TextIO | None:
    return job.stream if isinstance(job, Written) else None


def _do(stream: TextIO | None, jobs: Iterable[Job]) -> None:
    if stream:
        text = "".join([job.text for job in jobs if isinstance(job, Written)])
        jobs = [partial(_write, stream, _encoded(stream, text))]
    for job in jobs:
        # If the reader is gone, the run continues: its journal has everything.
        with suppress(OSError, ValueError):
            if not isinstance(job, Written):
                job()


def _encoded(stream: TextIO, text: str) -> bytes:
    return text.encode(stream.encoding or "utf-8", errors="backslashreplace")


def _write(stream: TextIO, data: bytes) -> None:
    """Write past Python's own buffer: at exit, nobody must wait for a reader that is stuck or gone."""
    while data:
        data = data[os.write(stream.fileno(), data) :]


def _readiness(file: int) -> Callable[[], int]:
    """How many bytes the file takes without waiting. A terminal may report room and still be slow, so it has none."""
    found = os.fstat(file)
    is_nowhere = stat.S_ISCHR(found.st_mode) and found.st_rdev == os.stat(os.devnull).st_rdev  # noqa: PTH116 - a name
    if is_nowhere or stat.S_ISREG(found.st_mode):
        return lambda: ANY_SIZE
    if not stat.S_ISFIFO(found.st_mode):
        return lambda: 0
    size = fcntl.fcntl(file, fcntl.F_GETPIPE_SZ) if hasattr(fcntl, "F_GETPIPE_SZ") else WITHOUT_WAITING
    poll, unread = select.poll(), array("i", [0])
    poll.register(file, select.POLLOUT)

    def room() -> int:
        fcntl.ioctl(file, termios.FIONREAD, unread)
        if not unread[0]:
            return size
        return WITHOUT_WAITING if poll.poll(0) else 0

    return room
