"""Find a tag such as `<response>DONE</response>` in what an agent said, and only in what it said itself."""

import mmap
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

LONGEST = 4096
"""What stands in a tag is a word or a line; a tag that is never closed must not be looked for in a gigabyte."""
CONTEXT = 80
IN_ONE_PIECE = 1 << 20
ATTRIBUTES = 500
"""The room before, and after, the name of an attribute within its tag."""
ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")

Data = bytes | mmap.mmap


def first_tag(path: Path, tag: str, *, prompt: str = "") -> str | None:
    """The trimmed content of the first tag in the file that is not an echo of the prompt."""
    found = _look(path, Shape(tag), prompt)
    return found and found.text


def first_tag_with(
    path: Path, tag: str, attribute: str, *, prompt: str = "", longest: int = LONGEST
) -> tuple[str, str] | None:
    """As above, of a tag such as `<reject stage="coder">why</reject>`: the attribute's value and the content."""
    found = _look(path, Shape(tag, attribute, longest), prompt)
    return found and (found.attribute(attribute), found.text)


class Shape:
    def __init__(self, tag: str, attribute: str = "", longest: int = LONGEST) -> None:
        self._opening, self._closing = _edges(tag, attribute)
        self._longest = longest

    def all_in(self, data: Data) -> "Iterator[Found]":
        """From the first opening to the first closing, again and again.

        Each byte is looked at about once. A pattern for the whole would look as far as it may from each opening, of
        which a hostile text has millions.
        """
        at = 0
        closing: re.Match[bytes] | None = None
        while opening := self._opening.search(data, at):
            if closing is None or closing.start() < opening.end():
                closing = self._closing.search(data, opening.end())
            if closing is None:
                return
            nearest = closing.start() - self._longest
            if opening.end() >= nearest:
                yield Found(data, opening, closing)
                at = closing.end()
            else:
                at = max(opening.end(), nearest - 3 * ATTRIBUTES)


class Found:
    """A tag and the text around it without blanks and quotation marks: an echo may be wrapped or quoted."""

    def __init__(self, data: Data, opening: "re.Match[bytes]", closing: "re.Match[bytes]") -> None:
        content = data[opening.end() : closing.start()]
        self.text = content.decode(errors="replace").strip()
        self._attributes = opening[1].decode(errors="replace")
        self.content = bare(opening[1] + content)
        self.before = bare(data[max(0, opening.start() - 4 * CONTEXT) : opening.start()])
        self.after = bare(data[closing.end() : closing.end() + 4 * CONTEXT])

    def attribute(self, wanted: str) -> str:
        for name, *values in ATTRIBUTE.findall(self._attributes):
            if name.casefold() == wanted:
                return "".join(values).strip()
        return ""


@cache
def _edges(tag: str, attribute: str) -> "tuple[re.Pattern[bytes], re.Pattern[bytes]]":
    name = tag.encode()
    room = b"[^<>]{0,%d}" % ATTRIBUTES
    inside = rb"\s(?:%b\s)?%b\s*=%b" % (room, attribute.encode(), room) if attribute else b""
    opening = re.compile(b"<%b(%b)>" % (name, inside), re.IGNORECASE)
    return opening, re.compile(b"</%b>" % name, re.IGNORECASE)


def _look(path: Path, shape: Shape, prompt: str) -> Found | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        size = os.fstat(file).st_size
        if size <= IN_ONE_PIECE:
            return _first(os.read(file, size), shape, prompt.encode())
        # Mapped, not read: what an agent without a stream format prints may be larger than memory.
        with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as data:
            return _first(data, shape, prompt.encode())
    finally:
        os.close(file)


def _first(data: Data, shape: Shape, prompt: bytes) -> Found | None:
    echoes = list(shape.all_in(prompt))
    return next((found for found in shape.all_in(data) if not _is_echo(found, echoes)), None)


def _is_echo(seen: Found, echoes: Iterable[Found]) -> bool:
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
