"""The process table, read once for each look.

The watcher program imports this with a bare interpreter: only the standard library, and little of it.
"""

import os

from ralph.proc.signalling import send_if

TYPE_CHECKING = False  # typing's own constant would cost an import at every start
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DEAD, STOPPED = (b"Z", b"X"), (b"T", b"t")
STATE, PARENT, START = 0, 1, 19
"""The positions of these fields in /proc/<pid>/stat, counted after the name."""
ONE_READ = 1 << 16


class ListedProcess:
    """One living process."""

    __slots__ = ("parent", "pid", "start", "stopped")

    def __init__(self, pid: int, parent: int, start: int, *, stopped: bool = False) -> None:
        self.pid = pid
        self.parent = parent
        self.start = start
        """The start time, a number to compare: together with the pid it identifies one process, although pids are
        reused."""
        self.stopped = stopped


Table = dict[int, ListedProcess]
"""Every living process, by its pid."""


def read_table() -> Table:
    if not _has_proc():
        return {entry.pid: entry for entry in _listed_by_ps("-ax")}
    names = os.listdir("/proc")  # noqa: PTH208 - pathlib would cost an import
    return {entry.pid: entry for name in names if name.isdigit() and (entry := entry_of(int(name)))}


def entry_of(pid: int) -> ListedProcess | None:
    """The process; None if it is dead."""
    if not _has_proc():
        return next(_listed_by_ps("-p", str(pid)), None)
    # `pid (name) state parent ...`, and the name may hold anything.
    fields = _content(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if not fields or fields[STATE] in DEAD:
        return None
    stopped = fields[STATE] in STOPPED
    return ListedProcess(pid, int(fields[PARENT]), int(fields[START]), stopped=stopped)


def below(table: Table, roots: "Iterable[int]") -> set[int]:
    """The living ones of these processes, and all their descendants."""
    children: dict[int, list[int]] = {}
    for entry in table.values():
        children.setdefault(entry.parent, []).append(entry.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, ())
    return found & table.keys()


def started_since(table: Table, start: int) -> list[int]:
    return [pid for pid, entry in table.items() if entry.start >= start]


def environments(pids: "Iterable[int]") -> "Iterator[tuple[int, bytes]]":
    """The environment of each process at its start: `NAME=value`, each followed by a zero byte; empty if it cannot be
    read.
    """
    if _has_proc():
        for pid in pids:
            yield pid, _content(f"/proc/{pid}/environ")
        return
    wanted = set(pids)
    # With -E a command is followed by its environment, a space between each.
    for line in _said_by_ps("-Eaxww", "-o", "pid=,command="):
        pid, _, rest = line.strip().partition(b" ")
        if int(pid) in wanted:
            yield int(pid), rest.replace(b" ", b"\0") + b"\0"


def realtime_limit(pid: int) -> int:
    """How many microseconds it may run without a pause as a real-time process; 0 if that is unlimited or unknown."""
    value = _content(f"/proc/{pid}/limits").partition(b"Max realtime timeout")[2].split(None, 1)[:1]
    return int(value[0]) if value and value[0].isdigit() else 0


def send(entry: ListedProcess, number: int) -> None:
    """Signal exactly this process, and no other that got its pid."""
    try:
        send_if(entry.pid, number, lambda: _is_still_there(entry))
    except PermissionError:
        return  # It belongs to somebody else.


def _is_still_there(entry: ListedProcess) -> bool:
    if not _has_proc():
        # `ps` has no start time to compare.
        return True
    now = entry_of(entry.pid)
    return now is not None and now.start == entry.start


def _has_proc() -> bool:
    return os.path.exists("/proc/self/stat")  # noqa: PTH110 - as above


def _content(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        pieces: list[bytes] = []
        while piece := os.read(file, ONE_READ):
            pieces.append(piece)
        return b"".join(pieces)
    except OSError:
        return b""
    finally:
        os.close(file)


def _listed_by_ps(*which: str) -> "Iterator[ListedProcess]":
    """The entries from `ps`, whose start times are too coarse to compare: here they are all the same."""
    for line in _said_by_ps(*which, "-o", "pid=,ppid=,stat="):
        pid, parent, state = line.split()
        if not state.startswith(b"Z"):
            yield ListedProcess(int(pid), int(parent), 0, stopped=state.startswith(b"T"))


def _said_by_ps(*options: str) -> list[bytes]:
    import subprocess

    listing = subprocess.run(["ps", *options], capture_output=True, check=False)  # noqa: S607 - wherever it is
    return listing.stdout.splitlines()
