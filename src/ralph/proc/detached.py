"""Starts a process that outlives ralph, in its own session."""

import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ralph.proc.reaper import start


def start_detached_process(argv: Sequence[str], *, cwd: Path, output: int) -> "subprocess.Popen[bytes]":
    """Start the process. Inside an agent's attempt it has that attempt's mark, and ends with it like everything that
    the agent started.
    """
    return start(
        partial(
            subprocess.Popen,
            argv,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    )
