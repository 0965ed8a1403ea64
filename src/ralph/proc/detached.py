"""Start a process that outlives us, in a session of its own."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from ralph.proc.reaper import started


def start_detached_process(argv: Sequence[str], *, cwd: Path, output: int) -> "subprocess.Popen[bytes]":
    """Inside an agent's attempt it carries that attempt's mark, and ends with it like all that the agent started."""
    process = subprocess.Popen(
        argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
    )
    started.add(process.pid)
    return process
