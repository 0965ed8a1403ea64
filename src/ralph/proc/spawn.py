"""Start a process, read all that it writes, and leave nothing of it behind."""

import asyncio
import fcntl
import os
import subprocess
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from ralph.model.errors import AgentUnusable
from ralph.proc.guard import start_guard
from ralph.proc.reaper import adopt_orphans, adopted, live, mark, started

Sink = Callable[[bytes], None]
Ending = Literal["exited", "timeout", "idle", "lingering"]

CHUNK = 1 << 17
"""What one read takes at most: memory that a core's cache holds and the allocator uses again."""
FLOOD = 1 << 15
"""Who writes as much at once gets a larger pipe. Most never do."""
PIPE_SIZE = 1 << 20
"""As large as an unprivileged process may make it: fewer wake-ups for a flood."""
DRAIN = 1.0
"""How long a pipe may stay open after the process has ended: something it left behind holds it."""


class Process:
    """A running process: its sinks get what it writes, as it comes, in large pieces."""

    def __init__(self, child: "subprocess.Popen[bytes]", mark: str) -> None:
        self.pid = child.pid
        self.mark = mark
        self.exit_code: int | None = None
        self._child = child
        self._loop = asyncio.get_running_loop()
        self._ending: asyncio.Future[Ending] = self._loop.create_future()
        self._pipes: list[int] = []
        self._sinks: dict[int, Sink] = {}
        self._flooded: set[int] = set()
        self._leaving: asyncio.TimerHandle | None = None
        self._last_output = self._loop.time()
        self._exit_watch = _watch_exit(child, self._loop, self._exited)

    def read(self, pipe: int, sink: Sink) -> None:
        """Until its end. From now on it is this one's to close."""
        os.set_blocking(pipe, False)
        self._pipes.append(pipe)
        self._sinks[pipe] = sink
        self._loop.add_reader(pipe, self._readable, pipe)

    async def wait(self, *, limit: float | None = None, idle: float | None = None) -> Ending:
        """Until it has ended and all its output is read, or a limit is reached; then it still runs."""
        timers: list[asyncio.TimerHandle] = []
        if limit is not None:
            timers.append(self._loop.call_later(limit, self._end, "timeout"))
        if idle is not None:
            timers.append(self._loop.call_later(idle, self._check_idle, idle, timers))
        try:
            return await self._ending
        finally:
            for timer in timers:
                timer.cancel()

    def expect_exit(self, within: float) -> None:
        """It has said its last word, as far as one can tell: it may take this long to go. More words, more time."""
        if self._leaving:
            self._leaving.cancel()
        self._leaving = self._loop.call_later(within, self._end, "lingering")

    def close(self) -> None:
        """Take what it left in its pipes, which is not more than they hold, and let go of it."""
        self._exit_watch()
        for pipe in tuple(self._sinks):
            for _ in range(PIPE_SIZE // CHUNK):
                if pipe in self._sinks:
                    self._readable(pipe)
            self._loop.remove_reader(pipe)
        _close(self._pipes)
        self._pipes = []
        if self.exit_code is None:
            self.exit_code = self._child.wait()

    def _readable(self, pipe: int) -> None:
        try:
            data = os.read(pipe, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._last_output = self._loop.time()
            if len(data) >= FLOOD and pipe not in self._flooded:
                self._flooded.add(pipe)
                _enlarge(pipe)
            self._pass_on(data, self._sinks[pipe])
            return
        self._loop.remove_reader(pipe)
        del self._sinks[pipe]
        self._finish_if_over()

    def _pass_on(self, data: bytes, sink: Sink) -> None:
        try:
            sink(data)
        except Exception as error:  # noqa: BLE001 - whatever a sink meets (a full disk) is the waiter's to hear
            if not self._ending.done():
                self._ending.set_exception(error)

    def _exited(self, code: int) -> None:
        self.exit_code = code
        self._finish_if_over()
        if self._sinks:
            self._loop.call_later(DRAIN, self._end, "exited")

    def _finish_if_over(self) -> None:
        if self.exit_code is not None and not self._sinks:
            self._end("exited")

    def _check_idle(self, idle: float, timers: list[asyncio.TimerHandle]) -> None:
        quiet = self._loop.time() - self._last_output
        if quiet >= idle:
            self._end("idle")
        else:
            timers.append(self._loop.call_later(idle - quiet, self._check_idle, idle, timers))

    def _end(self, ending: Ending) -> None:
        if not self._ending.done():
            self._ending.set_result(ending)


@asynccontextmanager
async def spawn(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    attempt: str,
    stdin: Path | str | None = None,
    stdout: Sink | int,
    stderr: Sink | None = None,
    grace: float = 5.0,
    interrupt_first: bool = False,
    spare: Callable[[int], bool] | None = None,
) -> AsyncGenerator[Process]:
    """Start `argv`; leaving the block ends the whole tree. `stdout` as a number is a file for both streams.

    `spare` tells what may live on after a process that ended by itself. Who gives it must end those later.
    """
    adopt_orphans()
    start_guard()
    name, _, value = mark(attempt).partition("=")
    file = stdout if isinstance(stdout, int) else None
    child, pipes = _started(argv, cwd=cwd, env={**env, name: value}, stdin=stdin or os.devnull, file=file)
    process = Process(child, mark(attempt))
    started.add(process.pid)
    live.add(process.mark)
    try:
        if not isinstance(stdout, int):
            for pipe, sink in zip(pipes, (stdout, stderr or stdout), strict=True):
                process.read(pipe, sink)
        yield process
    finally:
        await _leave_nothing(process, grace=grace, interrupt_first=interrupt_first, spare=spare)


def _started(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: Path | str, file: int | None
) -> tuple["subprocess.Popen[bytes]", list[int]]:
    """The process, and where its output and its complaints are read, if they do not go to a file."""
    feed = os.open(stdin, os.O_RDONLY | os.O_CLOEXEC)
    read: list[int] = []
    written: list[int] = []
    try:
        while file is None and len(read) < 2:  # noqa: PLR2004 - output and complaints
            # Not by subprocess: it makes files of them, which cost several times as much.
            ends = os.pipe()
            read.append(ends[0])
            written.append(ends[1])
        out, err = written or (file, file)
        child = subprocess.Popen(argv, cwd=cwd, env=env, stdin=feed, stdout=out, stderr=err, start_new_session=True)
    except OSError as error:
        _close(read)
        raise cannot_start(argv, cwd, error) from error
    finally:
        _close([feed, *written])
    return child, read


def _close(files: list[int]) -> None:
    for file in files:
        os.close(file)


async def _leave_nothing(
    process: Process, *, grace: float, interrupt_first: bool, spare: Callable[[int], bool] | None
) -> None:
    running = process.exit_code is None
    try:
        if running or adopted() != []:
            from ralph.proc.tree import end

            root, patience, spared = (process.pid, grace, None) if running else (None, 0.0, spare)
            await _to_its_end(
                asyncio.to_thread(
                    end, root, process.mark, grace=patience, interrupt_first=interrupt_first, spare=spared
                )
            )
    finally:
        process.close()
        started.discard(process.pid)
        live.discard(process.mark)


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """A task that is cancelled, even a second time, must not leave the tree half ended."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        raise cancelled


def cannot_start(argv: Sequence[str], cwd: Path, error: OSError) -> AgentUnusable:
    if isinstance(error, FileNotFoundError) and not cwd.is_dir():
        return AgentUnusable(f"the directory {cwd} is gone.", "Run ralph where the project is.")
    if isinstance(error, FileNotFoundError):
        return AgentUnusable(f"{argv[0]} is not on PATH.", "Install it, or choose another agent: ralph doctor")
    if isinstance(error, PermissionError):
        return AgentUnusable(
            f"{argv[0]} is not executable.", f"Make it so (chmod +x {argv[0]}), or choose another agent."
        )
    return AgentUnusable(f"{argv[0]} cannot be started: {error.strerror}.", "See what this machine has: ralph doctor")


def _enlarge(pipe: int) -> None:
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_SIZE)


def _watch_exit(
    child: "subprocess.Popen[bytes]", loop: asyncio.AbstractEventLoop, exited: Callable[[int], None]
) -> Callable[[], None]:
    """Call `exited` once with the exit code; return what stops watching."""
    if not hasattr(os, "pidfd_open"):
        future = loop.run_in_executor(None, child.wait)
        future.add_done_callback(lambda done: None if done.cancelled() else exited(done.result()))
        return lambda: None
    pidfd = os.pidfd_open(child.pid)

    def stop() -> None:
        nonlocal pidfd
        if pidfd >= 0:
            loop.remove_reader(pidfd)
            os.close(pidfd)
            pidfd = -1

    def readable() -> None:
        stop()
        exited(child.wait())

    loop.add_reader(pidfd, readable)
    return stop
