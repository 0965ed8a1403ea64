"""The workbench of one attempt at one action: the only way to start a program, an agent or git.

`git/`, `agents/` and `checks/` get one and start their programs through it. They add what is specific to them. Where a
program works, what it may see, how it is found again and where its output goes is the same for all.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ralph.model.errors import AgentUnusable
from ralph.proc.spawn import ProcessTree, Sink, spawn
from ralph.workbench.ceiling import ceiling
from ralph.workbench.first_found import first_found
from ralph.workbench.redact import mask_text, masked_file

MOST_HELD = 64 * 1024
"""How many bytes of each output stream are held in memory."""
NOTHING: Mapping[str, str] = {}
USUAL_PATH = os.environ.get("PATH")
Starting = ProcessTree
"""A program that is about to be started: `async with` starts it, and leaving the block ends its whole tree."""
_numbers = count(1)


class Ended(Struct, frozen=True):
    """How a program ended, and the beginning of its output."""

    code: int | None
    """The exit code; None if it could not be started, or did not end in time."""
    out: bytes = b""
    err: str = ""
    """Its standard error, or why it could not be started."""
    timed_out: bool = False
    duration: float = 0.0

    @property
    def text(self) -> str:
        """The output as text. Names in it may be any bytes: they stay unchanged when they are passed to a program
        again.
        """
        return os.fsdecode(self.out).strip("\n")


class Workbench(Struct, frozen=True):
    folder: Path
    """The working directory of its programs."""
    env: Mapping[str, str]
    """The variables that its programs may see."""
    tag: str
    """The tag that each program has in its environment, with its own number. Ralph uses it to find and
    end everything that the program leaves behind, and nothing that runs beside it."""
    log: Path = Path(os.devnull)
    """Where all output goes: a file for a command, a folder for an agent."""
    keep: int = 5000
    """How many characters of a command's output are in the evidence."""
    secrets: Sequence[bytes] = ()
    """The secrets, which are masked in every log."""

    def at(self, folder: Path) -> "Workbench":
        return replace(self, folder=folder)

    def logging_to(self, log: Path) -> "Workbench":
        return replace(self, log=log)

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] = NOTHING,
        stdin: Path | bytes | None = None,
        stdout: Sink | int,
        stderr: Sink | None = None,
        interrupt_first: bool = False,
        spare: Callable[[int], bool] | None = None,
        exited: Callable[[], None] | None = None,
    ) -> Starting:
        """Start a program: `async with bench.start(...) as process`. See `spawn` for the arguments."""
        return spawn(
            argv,
            cwd=self.folder,
            env={**self.env, **ceiling(self.folder), **env},
            tag=f"{self.tag}.{next(_numbers)}",
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            interrupt_first=interrupt_first,
            spare=spare,
            exited=exited,
        )

    async def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] = NOTHING,
        stdin: Path | bytes | None = None,
        sink: Sink | None = None,
        limit: float | None = None,
    ) -> Ended:
        """Run a program to its end. The beginning of its output is kept; a `sink` gets all of it."""
        out, err = _Beginning(), _Beginning()
        starting = self.start(argv, env=env, stdin=stdin, stdout=sink or out.take, stderr=err.take)
        ended = await _end_of(starting, limit)
        said = ended.err or mask_text(self.secrets)(err.data.decode(errors="replace"))
        return replace(ended, out=bytes(out.data), err=said)

    async def shell(self, command: str, *, env: Mapping[str, str] = NOTHING, limit: float | None = None) -> Ended:
        """Run a command line to its end. Its output goes directly into the log, so it may have any size."""
        argv = shell_argv(command, path=self.env.get("PATH"))
        with masked_file(self.log, self.secrets) as file:
            return await _end_of(self.start(argv, env=env, stdout=file), limit)


def shell_argv(command: str, *, path: str | None = USUAL_PATH, windows: bool = os.name == "nt") -> list[str]:
    """The argv for a command line. The user wrote it for a shell, so a shell runs it: the one on this PATH."""
    return ["cmd", "/c", command] if windows else [first_found("sh", path), "-c", command]


async def _end_of(starting: Starting, limit: float | None) -> Ended:
    began = time.monotonic()
    try:
        async with starting as process:
            ending = await process.wait(limit=limit)
            code = process.exit_code
    except AgentUnusable as error:
        return Ended(None, err=error.message)
    in_time = ending == "exited"
    return Ended(code if in_time else None, timed_out=not in_time, duration=time.monotonic() - began)


class _Beginning:
    def __init__(self) -> None:
        self.data = bytearray()

    def take(self, data: bytes) -> None:
        self.data += data[: MOST_HELD - len(self.data)]
