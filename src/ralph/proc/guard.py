"""One watcher per ralph process: a killed ralph leaves nothing running, and an iteration pays nothing for it."""

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from ralph.proc.guard_program import FAREWELL
from ralph.proc.marks import TAG
from ralph.proc.reaper import TOKEN, start_unmarked

PROGRAM = "import sys; sys.path.append(sys.argv.pop(1)); from ralph.proc.guard_program import main; main()"
SOURCES = str(Path(__file__).parents[2])


@cache
def start_guard() -> "subprocess.Popen[bytes]":
    """Start the watcher with the first process that needs it. It must outlive ralph, so it has its own session and no
    mark.
    """
    read_end, write_end = os.pipe()
    guard = start_unmarked(
        partial(
            subprocess.Popen,
            [sys.executable, "-I", "-S", "-c", PROGRAM, SOURCES, TOKEN, str(os.getpid())],
            stdin=read_end,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name != TAG},
            cwd="/",
            start_new_session=True,
        )
    )
    os.close(read_end)
    # The farewell is sent only on an orderly exit, when everything has already been ended.
    atexit.register(_farewell, write_end)
    return guard


def _farewell(write_end: int) -> None:
    with suppress(OSError):
        os.write(write_end, FAREWELL)
        os.close(write_end)
