"""Writes an agent's output to its file as it arrives, and passes complete lines to the parser."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from ralph.agents.parser import Emit, LineReader
from ralph.store.files import create, write_all
from ralph.workbench.redact import Redactor

TAIL = 4096
TELL_EVERY = 1.0
"""The seconds between two reports of the size."""
LONGEST_LINE = 16 << 20
"""The most bytes of a line that are held for the parser. A longer one is recorded completely, and only its beginning is
parsed."""
Grown = Callable[[int, float], None]
"""Called with the number of bytes and the time of the last ones, about once a second."""


class Recorder:
    """Records a stream. Memory holds one piece and the beginning of an unfinished line, never the stream."""

    def __init__(
        self,
        path: Path | str,
        redactor: Redactor,
        *,
        parser: LineReader | None = None,
        emit: Emit | None = None,
        grown: Grown | None = None,
        has_room: Callable[[], bool] | None = None,
    ) -> None:
        self.size = 0
        self.tail = b""
        self._path = path
        self._redactor = redactor
        self._parser = parser
        self._emit = emit
        self._grown = grown
        self._has_room = has_room
        self._told_at = time.time()
        self._untold: tuple[int, float] | None = None
        self._file = -1
        self._broken = False
        self._unfinished: list[bytes] = []
        self._held = 0
        self._skipping = False
        """Whether the rest of a line that was too long is still to come."""

    def __call__(self, data: bytes) -> None:
        self._take(self._redactor.feed(data))

    def stop_parsing(self) -> None:
        """Stop parsing, because the agent has ended. Later output is recorded, and not read as the agent's."""
        if self._parser and not self._skipping and (rest := b"".join((*self._unfinished, self._redactor.held))):
            self._parser.feed(rest, self._emit)
        if self._parser:
            self._parser.finish(self._emit)
        self._parser = None

    def close(self) -> None:
        self.stop_parsing()
        self._take(self._redactor.rest())
        self._tell_before_pause(time.time())
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _take(self, data: bytes) -> None:
        if not data or self._broken:
            return
        self._write(data)
        self.size += len(data)
        self.tail = data[-TAIL:] if len(data) >= TAIL else (self.tail + data)[-TAIL:]
        self._split(data)
        if self._grown:
            self._arrived(self._grown, time.time())

    def _arrived(self, grown: Grown, now: float) -> None:
        self._tell_before_pause(now)
        if abs(now - self._told_at) >= TELL_EVERY:
            self._told_at, self._untold = now, None
            grown(self.size, now)
        else:
            self._untold = (self.size, now)

    def _tell_before_pause(self, now: float) -> None:
        """Report what came before a pause with its own time, and not together with what comes after it."""
        if self._grown and self._untold and abs(now - self._untold[1]) >= TELL_EVERY:
            self._grown(*self._untold)
            self._untold = None

    def _write(self, data: bytes) -> None:
        try:
            if self._file < 0:
                self._file = create(self._path)
            write_all(self._file, data)
        except OSError:
            # What was written is the beginning of the stream; text after a gap would not belong to it.
            self._broken = True
            raise

    def _is_watched(self) -> bool:
        return self._emit is not None and (self._has_room is None or self._has_room())

    def _split(self, data: bytes) -> None:
        if self._parser is None:
            return
        if self._skipping:
            end = data.find(b"\n") + 1
            self._skipping = not end
            data = data[end:] if end else b""
        end = data.rfind(b"\n") + 1
        if end:
            self._unfinished.append(data[:end])
            lines, self._unfinished, self._held = b"".join(self._unfinished), [], 0
            if self._is_watched() or not self._parser.skim(lines, self._emit):
                self._parser.feed(lines, self._emit)
            data = data[end:]
        if data:
            self._unfinished.append(data)
            self._held += len(data)
        if self._held > LONGEST_LINE:
            pieces, self._unfinished, self._held = self._unfinished, [], 0
            self._skipping = self._parser.give_up_line(pieces, self._emit)
