"""One watcher per ralph process: a killed ralph leaves nothing running, and an iteration pays nothing for it."""

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from ralph.proc.guard_program import FAREWELL
from ralph.proc.reaper import TAG, TOKEN, started


@cache
def start_guard() -> "subprocess.Popen[bytes]":
    """Started with the first process that needs it. It must outlive us, so it has a session of its own and no mark."""
    read_end, write_end = os.pipe()
    program = Path(__file__).with_name("guard_program.py")
    environment = {name: value for name, value in os.environ.items() if name != TAG}
    guard = subprocess.Popen(
        [sys.executable, "-I", "-S", str(program), f"{TAG}={TOKEN}."],
        stdin=read_end,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd="/",
        start_new_session=True,
    )
    os.close(read_end)
    started.add(guard.pid)
    # Said only on an orderly exit, when everything has been ended already.
    atexit.register(_farewell, write_end)
    return guard


def _farewell(write_end: int) -> None:
    with suppress(OSError):
        os.write(write_end, FAREWELL)
        os.close(write_end)
