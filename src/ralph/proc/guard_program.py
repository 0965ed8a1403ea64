"""Runs beside ralph: when the pipe to ralph closes without a farewell, it ends whatever ralph left running.

Started by path with the bare interpreter, so it imports nothing but the standard library.
"""

import os
import signal
import sys
import time

TYPE_CHECKING = False  # typing's own constant would cost an import at every start
if TYPE_CHECKING:
    from collections.abc import Iterator

FAREWELL = b"q"
SECONDS = 10.0
QUIET_LOOKS = 3


def main() -> None:
    needle = sys.argv[1].encode()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    said = b""
    while piece := os.read(0, 16):
        said += piece
    if said.endswith(FAREWELL):
        return
    deadline = time.monotonic() + SECONDS
    quiet = 0
    while quiet < QUIET_LOOKS and time.monotonic() < deadline:
        found = marked(needle)
        for pid in found:
            kill(pid)
        quiet = 0 if found else quiet + 1
        time.sleep(0.02)


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return


def marked(needle: bytes) -> list[int]:
    """Whatever carries the mark, and whatever lies below such a process, though it may have cleared its environment."""
    found: set[int] = set()
    children: dict[int, list[int]] = {}
    for pid, parent, environment in processes():
        children.setdefault(parent, []).append(pid)
        if needle in environment:
            found.add(pid)
    waiting = list(found)
    while waiting:
        below = [pid for pid in children.get(waiting.pop(), ()) if pid not in found]
        found.update(below)
        waiting += below
    return sorted(found - {os.getpid()})


def processes() -> "Iterator[tuple[int, int, bytes]]":
    """Pid, parent and environment of every process that lives."""
    if not os.path.isdir("/proc/self"):  # noqa: PTH112 - pathlib would cost an import, too
        yield from listed_by_ps()
        return
    for name in os.listdir("/proc"):  # noqa: PTH208 - as above
        if name.isdigit() and (stat := content(f"/proc/{name}/stat")):
            # `pid (name) state parent ...`, and the name may hold anything.
            state, parent = stat.rpartition(b")")[2].split()[:2]
            if state != b"Z":
                yield int(name), int(parent), content(f"/proc/{name}/environ")


def content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError:
        return b""


def listed_by_ps() -> "Iterator[tuple[int, int, bytes]]":
    import subprocess

    listing = subprocess.run(["ps", "-Eaxww", "-o", "pid=,ppid=,command="], capture_output=True, check=False)  # noqa: S607
    for line in listing.stdout.splitlines():
        pid, parent, rest = [*line.split(None, 2), b""][:3]
        yield int(pid), int(parent), rest


if __name__ == "__main__":
    main()
