"""Much output, fast: one line is made, and written repeatedly in large pieces."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ralph.testing.formats.base import Stream

PIECE = 1 << 20
# They have characters that JSON must escape, like real output.
SAMPLE = 'value = table["key"]\t# 0123456789 '


def flood(stream: Stream, total: int, size: int, kind: str) -> Iterator[bytes]:
    """Pieces of valid lines of about `size` bytes, `total` bytes in all; `empty` lines have one byte."""
    if kind == "empty":
        return _repeated(b"\n", total)
    made = _maker(stream, kind)
    lines = made(0).count(b"\n")
    unit = _of_length(made, size * lines)
    count = max(1, total // len(unit))
    rest = _of_length(made, total - len(unit) * (count - 1))
    return _and_then(_repeated(unit, count - 1), rest)


def one_line(stream: Stream, size: int) -> bytes:
    return _of_length(_maker(stream, "text"), size)


def _maker(stream: Stream, kind: str) -> Callable[[int], bytes]:
    return lambda length: stream.filler(kind, (SAMPLE * (length // len(SAMPLE) + 1))[:length])


def _of_length(made: Callable[[int], bytes], size: int) -> bytes:
    """Lines of the length `size`, or the least possible: filled with payload, then with spaces."""
    least, probe = len(made(0)), 100 * len(SAMPLE)
    per_character = (len(made(probe)) - least) / probe
    payload = int((size - least) / per_character) - 2 * len(SAMPLE)
    lines = made(max(0, payload))
    return lines[:-1] + b" " * (size - len(lines)) + b"\n"


def _repeated(unit: bytes, count: int) -> Iterator[bytes]:
    per_piece = max(1, PIECE // len(unit))
    piece = unit * min(per_piece, count)
    for _ in range(count // per_piece):
        yield piece
    yield unit * (count % per_piece)


def _and_then(pieces: Iterator[bytes], last: bytes) -> Iterator[bytes]:
    yield from pieces
    yield last
