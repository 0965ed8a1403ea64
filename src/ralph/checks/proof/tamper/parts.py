"""The differences between two versions of a file at its top level."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

DEFINED = re.compile(rb"(?:@[^\n]*\n|\s)*(?:async\s+)?(?:def|class|func(?:tion)?)\s+(?:\([^)]*\)\s*)?(\w+)")

Part = tuple["Node", bytes]


def different(
    base: Sequence[Part], head: Sequence[Part], context: "re.Pattern[bytes]"
) -> "tuple[list[Node], list[Node]]":
    """The parts that only one version has, those that match `context`, and others of the same name."""
    common = Counter(text for _, text in base) & Counter(text for _, text in head)
    names = {*_names(_beyond(base, common)), *_names(_beyond(head, common))}

    def needed(parts: Sequence[Part]) -> "list[Node]":
        left = common.copy()
        nodes: list[Node] = []
        for node, text in parts:
            left[text] -= 1
            if left[text] < 0 or context.match(text) or _name(text) in names:
                nodes.append(node)
        return nodes

    return needed(base), needed(head)


def _beyond(parts: Sequence[Part], common: "Counter[bytes]") -> list[bytes]:
    return list((Counter(text for _, text in parts) - common).elements())


def _names(texts: Iterable[bytes]) -> set[bytes]:
    return {_name(text) for text in texts} - {b""}


def _name(text: bytes) -> bytes:
    found = DEFINED.match(text)
    return found[1] if found else b""
