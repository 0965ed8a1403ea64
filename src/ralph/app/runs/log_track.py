"""One file with an agent's recorded output, read as it grows: complete lines, each event with the time it came."""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from msgspec import Struct

from ralph.agents.parser import LineReader
from ralph.model.events import AnyEvent
from ralph.store.streams import Stream

CHUNK = 1 << 20


class Said(Struct, frozen=True):
    event: AnyEvent
    at: float


class Track:
    """A stream. `offset` is how far it was read: always the beginning of a line."""

    def __init__(self, stream: Stream, reader: LineReader, began: float, offset: int = 0) -> None:
        self.offset = offset
        self._stream = stream
        self._reader = reader
        self._began = began
        self._sizes: list[int] = []
        self._times: list[float] = []
        self._ended_at: float | None = None

    def note(self, arrived: list[tuple[int, float]]) -> None:
        """Note how much of the stream had arrived, and when."""
        for size, at in arrived:
            self._sizes.append(size)
            self._times.append(at)

    def end(self, at: float | None) -> None:
        """End the track. Without a time its driver was killed: then the last known time counts."""
        self._ended_at = at or (self._times[-1] if self._times else self._began)

    def new(self) -> Iterator[tuple[bytes, list[Said]]]:
        """What has come since the last look, with its meaning."""
        while data := self._lines():
            yield data, self._read(data)
        if self._ended_at is not None and self.offset:
            rest: list[AnyEvent] = []
            self._reader.finish(rest.extend)
            yield b"", [Said(event, self._when(self.offset)) for event in rest]

    def _lines(self) -> bytes:
        """Complete lines only, because the last one may still be written; unless the stream is over."""
        size = CHUNK
        while True:
            data = self._stream.read(self.offset, size)
            end = data.rfind(b"\n") + 1
            if len(data) < size:
                return data if self._ended_at is not None else data[:end]
            if end:
                return data[:end]
            size *= 2

    def _read(self, data: bytes) -> list[Said]:
        """The next piece. What came between two arrivals is read together, so that its time is known."""
        said: list[Said] = []
        start = 0
        for cut in (*self._cuts(data), len(data)):
            found: list[AnyEvent] = []
            self._reader.feed(data[start:cut], found.extend)
            when = self._when(self.offset + cut)
            said += [Said(event, when) for event in found]
            start = cut
        self.offset += len(data)
        return said

    def _cuts(self, data: bytes) -> list[int]:
        """The positions after the last complete line of each noted arrival."""
        first = bisect_right(self._sizes, self.offset)
        last = bisect_left(self._sizes, self.offset + len(data))
        ends = {data.rfind(b"\n", 0, size - self.offset) + 1 for size in self._sizes[first:last]}
        return sorted(ends - {0})

    def _when(self, end: int) -> float:
        """When the bytes up to `end` had arrived; if unknown, when the stream ended or the file last changed."""
        behind = bisect_left(self._sizes, end)
        if behind < len(self._times):
            return self._times[behind]
        return self._ended_at or self._stream.changed_at() or time.time()
