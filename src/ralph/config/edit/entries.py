"""The positions of the keys in a text, in any language."""

from typing import NamedTuple


class KeyPosition(NamedTuple):
    """A key with its value. Numbers are positions in the text; an end is the position after the last character."""

    key: str
    begin: int
    """The position where the key begins."""
    colon: int
    """The position after the colon."""
    value_begin: int
    end: int
    below: "Group | None"
    """The entries in the value, if it is an object."""


class Group(NamedTuple):
    begin: int
    end: int
    entries: tuple[KeyPosition, ...]
    is_flow: bool
    """Whether it is written in braces. Otherwise its entries are lines that begin in the same column."""

    def find(self, key: str) -> KeyPosition | None:
        return next((entry for entry in self.entries if entry.key == key), None)
