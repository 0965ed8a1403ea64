"""Whose turn it is: a counter and a log beside the script, safe with concurrent and killed starts."""

from __future__ import annotations

import fcntl
import json
import os
import time

from ralph.testing.files import append_line, working_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ralph.testing.script import Script

WIDTH = 12


class Turn:
    """One start: the step that it plays, and whether the next start continues after it."""

    def __init__(self, script: Script, path: str, prompt: str, argv: list[str]) -> None:
        self._counter = f"{path}.state"
        self._advance = script.advance
        with _Locked(self._counter) as counter:
            self._taken = counter.read()
            self.step, self._counts = script.choose(prompt, self._taken)
            _record(f"{path}.log", prompt, argv, self.step)
            if self._counts and self._advance == "start":
                counter.write(self._taken + 1)

    def end(self) -> None:
        if self._counts and self._advance == "end":
            with _Locked(self._counter) as counter:
                # Another start may have played the same step and ended earlier.
                counter.write(max(counter.read(), self._taken + 1))


class _Locked:
    """The counter's file, for one process at a time; the lock ends with the process that holds it."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def __enter__(self) -> Self:
        fcntl.flock(self._file, fcntl.LOCK_EX)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._file)

    def read(self) -> int:
        return int(os.pread(self._file, WIDTH + 1, 0) or b"0")

    def write(self, taken: int) -> None:
        # One write of constant length: a kill leaves the old number or the new one, never a part.
        os.pwrite(self._file, b"%0*d\n" % (WIDTH, taken), 0)


def _record(path: str, prompt: str, argv: list[str], step: int) -> None:
    start = {
        "step": step,
        "prompt": prompt,
        "argv": argv,
        "cwd": working_directory(),
        "env": {name: value for name, value in os.environ.items() if name.startswith("RALPH_")},
        "pid": os.getpid(),
        "time": time.time(),
    }
    append_line(path, json.dumps(start).encode())
