"""Tee an agent's output to its file as it comes, and hand complete lines to the parser."""

import os
from collections.abc import Callable
from pathlib import Path

from ralph.agents.parser import Emit, Parser
from ralph.agents.redact import Redactor
from ralph.store.files import create, write_all

TAIL = 4096
MARK_EVERY = 1 << 20


class Recorder:
    """Memory holds one piece and an unfinished line, never the stream."""

    def __init__(
        self,
        path: Path | str,
        redactor: Redactor,
        *,
        parser: Parser | None = None,
        emit: Emit | None = None,
        mark: Callable[[int, int], None] | None = None,
    ) -> None:
        self.size = 0
        self.tail = b""
        self._path = path
        self._redactor = redactor
        self._parser = parser
        self._emit = emit
        self._mark = mark
        self._marked = 0
        self._file = -1
        self._broken = False
        self._unfinished: list[bytes] = []

    def __call__(self, data: bytes) -> None:
        self._take(self._redactor.feed(data))

    def close(self) -> None:
        self._take(self._redactor.rest())
        if self._unfinished:
            self._parse(b"".join(self._unfinished))
            self._unfinished = []
        if self._parser:
            self._parser.finish(self._emit)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if self._mark and self.size > self._marked > 0:
            self._mark(self.size, self._parser.events if self._parser else 0)

    def _take(self, data: bytes) -> None:
        if not data or self._broken:
            return
        self._write(data)
        self.size += len(data)
        self.tail = data[-TAIL:] if len(data) >= TAIL else (self.tail + data)[-TAIL:]
        self._split(data)
        if self._mark and self.size - self._marked >= MARK_EVERY:
            self._marked = self.size
            self._mark(self.size, self._parser.events if self._parser else 0)

    def _write(self, data: bytes) -> None:
        try:
            if self._file < 0:
                self._file = create(self._path)
            write_all(self._file, data)
        except OSError:
            # What could be written is the beginning of the stream; what came after a gap would not be.
            self._broken = True
            raise

    def _split(self, data: bytes) -> None:
        if self._parser is None:
            return
        end = data.rfind(b"\n") + 1
        if end:
            self._unfinished.append(data[:end])
            self._parse(b"".join(self._unfinished))
            self._unfinished = [data[end:]] if end < len(data) else []
        else:
            self._unfinished.append(data)

    def _parse(self, lines: bytes) -> None:
        if self._parser:
            self._parser.feed(lines, self._emit)
