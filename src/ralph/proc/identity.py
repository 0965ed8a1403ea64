"""The identity of a process. A pid alone is not enough, because pids are reused.

psutil is imported on demand: it takes a tenth of a start, and most runs never need it.
"""

import os
import sys
from functools import partial
from pathlib import Path

from ralph.proc.signalling import send_if
from ralph.proc.table import entry_of

CLOCK_STEP = 2.0
"""By how many seconds the clock may be set during a run, on systems that report start times by the clock."""
OUR_IMPORT = b"from ralph.cli."
"""The text of the script that starts ralph, however ralph was installed."""
LONGEST_SCRIPT = 4096


def started(pid: int | None = None) -> float:
    """When the process started, or 0 if it is gone. It is a number to compare: on Linux it counts from the boot."""
    pid = os.getpid() if pid is None else pid
    if sys.platform == "linux":
        return _since_boot(pid)
    import psutil

    try:
        process = psutil.Process(pid)
        return 0.0 if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:
        return 0.0


def lives(pid: int, since: float) -> bool:
    now = started(pid)
    if sys.platform == "linux":
        return bool(now) and now == since
    return bool(now) and abs(now - since) < CLOCK_STEP


def send(pid: int, since: float, number: int) -> bool:
    """Signal exactly this process, and no other that got its pid. Returns whether it was still alive."""
    return send_if(pid, number, partial(lives, pid, since))


def owner(pid: int) -> str:
    import psutil

    try:
        return psutil.Process(pid).username()
    except psutil.Error:
        return "unknown"


def _since_boot(pid: int) -> float:
    """The start time since the boot, not by the clock, which may be set. The same pid at the same hundredth of a second
    after another boot is too unlikely to matter.
    """
    entry = entry_of(pid)
    return entry.start / os.sysconf("SC_CLK_TCK") if entry else 0.0


def is_ralph(pid: int) -> bool:
    """Whether the process runs this program. Another program with the same name does not count."""
    import psutil

    try:
        process = psutil.Process(pid)
        words = process.cmdline()[:3]
        named = [word for word in words if os.path.basename(word) == "ralph"]  # noqa: PTH119 - the name only
        return any(_is_our_script(Path(process.cwd(), word)) for word in named)
    except (psutil.Error, OSError):
        return False


def _is_our_script(path: Path) -> bool:
    with path.open("rb") as file:
        return OUR_IMPORT in file.read(LONGEST_SCRIPT)
