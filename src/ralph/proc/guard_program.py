"""The watcher beside ralph: when the pipe to ralph closes without a farewell, it ends everything that ralph left
running.

It is started with the bare interpreter, so it imports only the standard library and modules that need nothing else.
"""

import os
import signal
import sys
import time

from ralph.proc.marks import mark_of_all
from ralph.proc.table import below, entry_of, read_table, send, started_since

FAREWELL = b"q"
SECONDS = 10.0
QUIET_LOOKS = 3
PAUSE = 0.02


def main() -> None:
    token, ralph = sys.argv[1:]
    entry = entry_of(int(ralph))
    since = entry.start if entry else 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    said = b""
    while piece := os.read(0, 16):
        said += piece
    if not said.endswith(FAREWELL):
        end_all(token, since)


def end_all(token: str, since: int) -> None:
    """End the processes with the mark and those below them, until several looks in a row find none."""
    mark = mark_of_all(token)
    deadline = time.monotonic() + SECONDS
    quiet = 0
    while quiet < QUIET_LOOKS and time.monotonic() < deadline:
        table = read_table()
        found = below(table, mark.find(started_since(table, since))) - {os.getpid()}
        for pid in found:
            send(table[pid], signal.SIGKILL)
        quiet = 0 if found else quiet + 1
        time.sleep(PAUSE)


if __name__ == "__main__":
    main()
