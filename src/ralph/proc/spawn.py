"""Starts a process, reads everything that it writes, and leaves nothing of it behind."""

import asyncio
import fcntl
import os
import tempfile
import termios
import time
from array import array
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ralph.proc.child import Child, start_child
from ralph.proc.deadlines import NEVER
from ralph.proc.endings import Ending, cannot_start
from ralph.proc.exit_watch import watch_exit
from ralph.proc.guard import start_guard
from ralph.proc.marks import TAG
from ralph.proc.readiness import readiness
from ralph.proc.reaper import TOKEN, adopt_orphans, adopted, live, start_marked, started

Sink = Callable[[bytes], None]

CHUNK = 1 << 17
"""The most bytes of one read: they fit into a core's cache, and the allocator reuses the memory."""
FLOOD = 1 << 16
"""A process that writes this much at once gets a larger pipe. Most never do."""
PIPE_SIZE = 1 << 20
"""The largest pipe that an unprivileged process may have: it needs fewer wake-ups for a flood."""
REAP_EVERY = 1.0
"""How many seconds a dead orphan may stay in the process table while this process continues."""
DRAIN = 1.0
"""How many seconds a pipe may stay open after the process has ended, because something that it left behind holds it."""


class Process:
    """A running process. Its sinks get its output as it arrives, in large pieces."""

    def __init__(self, child: Child, tag: str, exited: Callable[[], None] | None = None) -> None:
        self.pid = child.pid
        self.tag = tag
        self.exit_code: int | None = None
        self._child = child
        self._heard_exit = exited
        self._has_exited = False
        self._watched = readiness()
        self._ending: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._pipes: list[int] = []
        self._sinks: dict[int, Sink] = {}
        self._flooded: set[int] = set()
        self._last_output = time.monotonic()
        self._idle = NEVER
        """How many seconds it may be silent."""
        self._end_by = NEVER
        self._leave_by = NEVER
        """When it must have ended, because it seems to have finished; after its end, when its pipes are given up."""
        self._exit_watch = watch_exit(child, self._watched, self._exited)

    def read(self, pipe: int, sink: Sink) -> None:
        """Read the pipe until its end. From now on this object closes it."""
        os.set_blocking(pipe, False)
        self._pipes.append(pipe)
        self._sinks[pipe] = sink
        self._watched.add(pipe, partial(self._readable, pipe))

    async def wait(self, *, limit: float | None = None, idle: float | None = None) -> Ending:
        """Wait until it has ended and all its output is read, or until a limit is reached; then it still runs."""
        if limit is not None:
            self._end_by = time.monotonic() + limit
        if idle is not None:
            self._idle = idle
        self._watched.deadlines.expect(self, self.due())
        try:
            return await self._ending
        finally:
            self._end_by = self._idle = NEVER

    def expect_exit(self, within: float) -> None:
        """Expect the process to end within this time, because it seems to have finished. Further output extends the
        time.
        """
        # Only what it left behind can still write after its end, and that has a time limit of its own.
        if not self._has_exited:
            self._leave_within(within)

    def close(self) -> None:
        """Read what it left in its pipes, which is at most what they hold, and release it."""
        self._exit_watch()
        self._watched.deadlines.forget(self)
        for pipe in tuple(self._sinks):
            for _ in range(PIPE_SIZE // CHUNK):
                if pipe in self._sinks:
                    self._readable(pipe)
            self._watched.remove(pipe)
        _close(self._pipes)
        self._pipes = []
        if self.exit_code is None:
            self._take_exit_code()

    def due(self) -> float:
        if self._ending.done():
            return NEVER
        return min(self._end_by, self._leave_by, self._last_output + self._idle)

    def check(self, now: float) -> None:
        if now >= self._end_by:
            self._end("timeout")
        elif now - self._last_output >= self._idle:
            self._end("idle")
        elif now >= self._leave_by:
            self._end("exited" if self._has_exited else "lingering")

    def _leave_within(self, seconds: float) -> None:
        self._leave_by = time.monotonic() + seconds
        self._watched.deadlines.expect(self, self._leave_by)

    def _readable(self, pipe: int, most: int = CHUNK) -> int:
        """Read once, and return the number of bytes."""
        try:
            data = os.read(pipe, most)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if data:
            self._last_output = time.monotonic()
            if len(data) >= FLOOD and pipe not in self._flooded:
                self._flooded.add(pipe)
                _enlarge(pipe)
            try:
                self._sinks[pipe](data)
            except Exception as error:  # noqa: BLE001 - whatever it is (a full disk), it is the waiter's to hear
                self._fail(error)
            return len(data)
        self._watched.remove(pipe)
        del self._sinks[pipe]
        self._finish_if_over()
        return 0

    def _exited(self) -> None:
        self._has_exited, self._leave_by = True, NEVER
        try:
            if self._heard_exit:
                self._take_what_is_there()
                self._heard_exit()
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(error)
        try:
            self._take_exit_code()
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(error)
        for pipe in tuple(self._sinks):
            # Usually this is the end of the pipe, and there is no event to wait for.
            self._readable(pipe)
        self._finish_if_over()
        if self._sinks:
            self._leave_within(DRAIN)

    def _take_exit_code(self) -> None:
        self.exit_code = self._child.wait()

    def _take_what_is_there(self) -> None:
        """Read everything that it wrote: it is in its pipes now, because a write that did not fit would have blocked
        it.
        """
        for pipe in tuple(self._sinks):
            left = _waiting_in(pipe)
            while left > 0 and (read := self._readable(pipe, min(left, CHUNK))):
                left -= read

    def _finish_if_over(self) -> None:
        if self.exit_code is not None and not self._sinks:
            self._end("exited")

    def _end(self, ending: Ending) -> None:
        if not self._ending.done():
            self._ending.set_result(ending)

    def _fail(self, error: Exception) -> None:
        if not self._ending.done():
            self._ending.set_exception(error)


class _Reaping:
    """Reaps dead orphans from time to time while anything runs: one timer for all processes."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop = loop
            loop.call_later(REAP_EVERY, self._reap)

    def _reap(self) -> None:
        adopted()
        self._loop = None
        if live:
            self.begin()


_reaping = _Reaping()


def spawn(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    tag: str,
    stdin: Path | str | bytes | None = None,
    stdout: Sink | int,
    stderr: Sink | None = None,
    grace: float = 5.0,
    interrupt_first: bool = False,
    spare: Callable[[int], bool] | None = None,
    exited: Callable[[], None] | None = None,
) -> "ProcessTree":
    """Start `argv` with `async with`; leaving the block ends the whole tree.

    `stdin` as bytes is what the process reads. `stdout` as a number is a file for both streams. `exited` is called when
    the process itself has ended and all its output was read: later output comes from something that it left.

    `spare` says what may live on after a process that ended by itself. The caller must end those later.
    """
    file, sinks = (stdout, ()) if isinstance(stdout, int) else (None, (stdout, stderr or stdout))

    def start() -> tuple[Process, list[int]]:
        marked = {**env, TAG: f"{TOKEN}.{tag}"}
        child, pipes = _started(argv, tag, cwd=cwd, env=marked, stdin=stdin or os.devnull, file=file)
        return Process(child, tag, exited), pipes

    return ProcessTree(start, sinks, grace=grace, interrupt_first=interrupt_first, spare=spare)


class ProcessTree:
    """A process and all its descendants, from the beginning of an `async with` block to its end."""

    def __init__(
        self,
        start: Callable[[], tuple[Process, list[int]]],
        sinks: Sequence[Sink],
        *,
        grace: float,
        interrupt_first: bool,
        spare: Callable[[int], bool] | None,
    ) -> None:
        self._start = start
        self._sinks = sinks
        self._grace = grace
        self._interrupt_first = interrupt_first
        self._spare = spare

    async def __aenter__(self) -> Process:
        adopt_orphans()
        start_guard()
        self._process, pipes = self._start()
        live.add(self._process.tag)
        _reaping.begin()
        try:
            for pipe, sink in zip(pipes, self._sinks, strict=True):
                self._process.read(pipe, sink)
        except BaseException:
            await self._leave_nothing()
            raise
        return self._process

    async def __aexit__(self, *_: object) -> None:
        await self._leave_nothing()

    async def _leave_nothing(self) -> None:
        process = self._process
        running = process.exit_code is None
        try:
            if running or adopted() != []:
                from ralph.proc.tree import end

                root, patience, spare = (process.pid, self._grace, None) if running else (None, 0.0, self._spare)
                first = self._interrupt_first
                await _to_its_end(
                    asyncio.to_thread(end, root, process.tag, grace=patience, interrupt_first=first, spare=spare)
                )
        finally:
            try:
                process.close()
            finally:
                started.discard(process.pid)
                live.discard(process.tag)


def _started(
    argv: Sequence[str], tag: str, *, cwd: Path, env: Mapping[str, str], stdin: Path | str | bytes, file: int | None
) -> tuple[Child, list[int]]:
    """The process, and the pipes of its two streams, if they do not go to a file."""
    feed = _held(stdin) if isinstance(stdin, bytes) else os.open(stdin, os.O_RDONLY | os.O_CLOEXEC)
    read: list[int] = []
    written: list[int] = []
    try:
        while file is None and len(read) < 2:  # noqa: PLR2004 - output and complaints
            # subprocess is not used for this: it would make file objects, which cost several times as much.
            ends = os.pipe()
            read.append(ends[0])
            written.append(ends[1])
        out, err = written if file is None else (file, file)
        child = start_marked(tag, partial(start_child, argv, cwd=cwd, env=env, streams=(feed, out, err)))
    except OSError as error:
        _close(read)
        raise cannot_start(argv, cwd, env.get("PATH"), error) from error
    finally:
        _close([feed, *written])
    return child, read


def _held(data: bytes) -> int:
    """An unnamed file with this content: a pipe would have to be fed while the process runs."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("stdin")
    else:
        handle, name = tempfile.mkstemp()
        os.unlink(name)  # noqa: PTH108 - it is to have none
        file = handle
    while data:
        data = data[os.write(file, data) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _close(files: list[int]) -> None:
    for file in files:
        os.close(file)


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Finish the work even if the task is cancelled, even a second time: the tree must not stay half ended."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled


def _waiting_in(pipe: int) -> int:
    """How many bytes are in it now."""
    count = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def _enlarge(pipe: int) -> None:
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
