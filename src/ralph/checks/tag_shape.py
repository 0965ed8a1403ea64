"""Finding tags such as `<response>DONE</response>` in a text, wherever they are."""

import re
from collections.abc import Iterator
from functools import cache

LONGEST = 4096
"""The longest content of a tag: it is a word or a line, and an unclosed tag must not be searched for in a gigabyte."""
ATTRIBUTES = 500
"""The room before and after the name of an attribute within its tag."""
ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")


class Found:
    """A tag in a text: its place, its content, and its attributes."""

    def __init__(self, opening: "re.Match[str]", closing: "re.Match[str]") -> None:
        self.start = opening.start()
        self.end = closing.end()
        self.text = opening.string[opening.end() : closing.start()].strip()
        self._attributes = opening[1]

    @property
    def key(self) -> str:
        """A key that is the same for two tags that say the same."""
        return "".join(f"{self._attributes}>{self.text}".split()).casefold()

    def attribute(self, wanted: str) -> str:
        for name, *values in ATTRIBUTE.findall(self._attributes):
            if name.casefold() == wanted:
                return "".join(values).strip()
        return ""


class Shape:
    """The form of a tag: its name, and the attribute that it must have, if any."""

    def __init__(self, tag: str, attribute: str = "", longest: int = LONGEST) -> None:
        self.tag = tag
        self._opening, self._closing = _edges(tag, attribute)
        self._is_innermost = not attribute
        self._longest = longest

    def all_in(self, text: str) -> Iterator[Found]:
        """The tags, one after the other, none inside another.

        Each character is read about once. A pattern for the whole would search as far as it may from each opening, of
        which a hostile text has millions.
        """
        at = 0
        closing: re.Match[str] | None = None
        while opening := self._opening.search(text, at):
            if closing is None or closing.start() < opening.end():
                closing = self._closing.search(text, opening.end())
            if closing is None:
                return
            opening = self._last(opening, closing)
            nearest = closing.start() - self._longest
            if opening.end() >= nearest:
                yield Found(opening, closing)
                at = closing.end()
            else:
                at = max(opening.end(), nearest - 3 * ATTRIBUTES)

    def _last(self, opening: "re.Match[str]", closing: "re.Match[str]") -> "re.Match[str]":
        """The last opening. A message may name a tag before it uses it: "in a `<response>` tag"."""
        while self._is_innermost and (later := self._opening.search(opening.string, opening.end(), closing.start())):
            opening = later
        return opening


@cache
def _edges(tag: str, attribute: str) -> "tuple[re.Pattern[str], re.Pattern[str]]":
    room = f"[^<>]{{0,{ATTRIBUTES}}}"
    inside = rf"\s(?:{room}\s)?{attribute}\s*={room}" if attribute else ""
    # Other alphabets have letters that are equal to ours only if case is ignored.
    flags = re.IGNORECASE | re.ASCII
    return re.compile(f"<{tag}({inside})>", flags), re.compile(f"</{tag}>", flags)
