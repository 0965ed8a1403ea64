"""Find a tag such as `<response>DONE</response>` in what an agent said, and only in what it said itself."""

import mmap
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

LONGEST = 4096
"""What stands in a tag is a word or a line; a tag that is never closed must not be looked for in a gigabyte."""
CONTEXT = 80
IN_ONE_PIECE = 1 << 20


def first_tag(path: Path, tag: str, *, prompt: str = "") -> str | None:
    """The trimmed content of the first tag in the file that is not an echo of the prompt."""
    pattern = _pattern(tag)
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        size = os.fstat(file).st_size
        if size <= IN_ONE_PIECE:
            return _first(os.read(file, size), pattern, prompt.encode())
        # Mapped, not read: what an agent without a stream format prints may be larger than memory.
        with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as data:
            return _first(data, pattern, prompt.encode())
    finally:
        os.close(file)


@cache
def _pattern(tag: str) -> "re.Pattern[bytes]":
    name = tag.encode()
    return re.compile(rb"<%b>(.{0,%d}?)</%b>" % (name, LONGEST, name), re.IGNORECASE | re.DOTALL)


def _first(data: "bytes | mmap.mmap", pattern: "re.Pattern[bytes]", prompt: bytes) -> str | None:
    echoes = [_surroundings(prompt, found) for found in pattern.finditer(prompt)]
    for found in pattern.finditer(data):
        if not _is_echo(_surroundings(data, found), echoes):
            return found[1].decode(errors="replace").strip()
    return None


class Surroundings:
    """A tag and the text around it without blanks and quotation marks: an echo may be wrapped or quoted."""

    def __init__(self, content: bytes, before: bytes, after: bytes) -> None:
        self.content = bare(content)
        self.before = bare(before)
        self.after = bare(after)


def _surroundings(data: "bytes | mmap.mmap", found: "re.Match[bytes]") -> Surroundings:
    start, end = found.span()
    return Surroundings(found[1], data[max(0, start - 4 * CONTEXT) : start], data[end : end + 4 * CONTEXT])


def _is_echo(seen: Surroundings, echoes: Iterable[Surroundings]) -> bool:
    """The same tag between the same words as in the prompt. Where the prompt has no words, nothing tells them apart."""
    return any(
        seen.content == echo.content
        and seen.before.endswith(echo.before[-CONTEXT:])
        and seen.after.startswith(echo.after[:CONTEXT])
        for echo in echoes
    )


def bare(text: bytes) -> bytes:
    """Without blanks and the marks that quote or decorate a line."""
    return re.sub(rb"[\s>|#*`]+", b"", text)
