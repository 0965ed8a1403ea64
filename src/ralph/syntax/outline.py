"""The syntax tree of a file, reduced to the nodes that a query names and what encloses them.

The text is untrusted: nothing here walks a tree by recursion or asks a node for its parents, which takes longer the
deeper the tree is.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from ralph.syntax.grammars import parse, query

if TYPE_CHECKING:
    from tree_sitter import Node


class Item:
    """A node that the query names, with its name there."""

    __slots__ = ("end", "kind", "node", "start", "up")

    def __init__(self, kind: str, node: "Node", start: int, end: int, up: "Item | None") -> None:
        self.kind = kind
        self.node = node
        self.start = start
        self.end = end
        self.up = up
        """The nearest item that encloses it."""

    @property
    def line(self) -> int:
        return self.node.start_point.row + 1

    @property
    def text(self) -> bytes:
        return self.node.text or b""

    def field(self, name: str) -> bytes:
        """The text of a child; empty if it has none of this name."""
        child = self.node.child_by_field_name(name)
        return (child.text or b"") if child else b""

    def above(self) -> "Iterator[Item]":
        """The items that enclose it, the nearest first."""
        item = self.up
        while item:
            yield item
            item = item.up

    def within(self, *kinds: str) -> "Item | None":
        """The nearest item of these kinds that encloses it."""
        return next((item for item in self.above() if item.kind in kinds), None)


class Parsed:
    """A text and its syntax tree."""

    def __init__(self, grammar: str, content: bytes) -> None:
        self.grammar = grammar
        self._tree = parse(grammar, content)
        self.root = self._tree.root_node

    def parts(self) -> "list[tuple[Node, bytes]]":
        """The top-level parts of the file in order, each with its text."""
        return [(node, node.text or b"") for node in self.root.children]


class Outline:
    def __init__(self, parsed: Parsed, wanted: str, parts: "Sequence[Node] | None" = None) -> None:
        """Read the whole file, or only `parts` of it."""
        from tree_sitter import QueryCursor

        self._parsed = parsed
        self.root = parsed.root
        self.is_broken = self.root.has_error
        found: dict[str, list[Node]] = {}
        for node in (self.root,) if parts is None else parts:
            for kind, nodes in QueryCursor(query(parsed.grammar, wanted)).captures(node).items():
                found.setdefault(kind, []).extend(nodes)
        self.items = list(_nested(found))
        self._by_kind: dict[str, list[Item]] = {}
        for item in self.items:
            self._by_kind.setdefault(item.kind, []).append(item)

    def of(self, kind: str) -> list[Item]:
        """The items of a kind, in the order of the text."""
        return self._by_kind.get(kind, [])

    def of_any(self, kinds: Collection[str]) -> list[Item]:
        return [item for item in self.items if item.kind in kinds]

    def is_code(self, start: int, end: int) -> bool:
        """Whether the text at this place is not a comment."""
        node = self.root.descendant_for_byte_range(start, end)
        return node is None or "comment" not in node.type


def _nested(found: "dict[str, list[Node]]") -> Iterator[Item]:
    """The items in the order of the text, each with the nearest one around it. Names with an underscore are the query's
    own.
    """
    nodes = [(node.start_byte, -node.end_byte, kind, node) for kind in found if kind[0] != "_" for node in found[kind]]
    nodes.sort(key=lambda each: each[:2])
    around: list[Item] = []
    for place, (start, negative_end, kind, node) in enumerate(nodes):
        if place + 1 < len(nodes) and nodes[place + 1][:2] == (start, negative_end):
            _put_outer_first(nodes, place)
            _, _, kind, node = nodes[place]  # noqa: PLW2901 - now the outer one
        while around and around[-1].end <= start:
            around.pop()
        item = Item(kind, node, start, -negative_end, around[-1] if around else None)
        around.append(item)
        yield item


def _put_outer_first(nodes: "list[tuple[int, int, str, Node]]", place: int) -> None:
    """Sort items that begin and end together: the one with more inside is around the others."""
    last = place
    while last < len(nodes) and nodes[last][:2] == nodes[place][:2]:
        last += 1
    nodes[place:last] = sorted(nodes[place:last], key=lambda each: -each[3].descendant_count)
