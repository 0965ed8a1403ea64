"""Syntax trees of the languages that Python itself cannot parse."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ralph.syntax.grammars import parse

if TYPE_CHECKING:
    from tree_sitter import Node


def parsed(language: str, content: bytes) -> "Node | None":
    """The root of the syntax tree; None if the text is not valid."""
    root = parse(language, content).root_node
    return None if root.has_error else root


def inside(*roots: "Node", but: frozenset[str] = frozenset()) -> "Iterator[Node]":
    """These nodes and all named nodes inside them, in order, without those inside nodes of the types in `but`."""
    todo = list(reversed(roots))
    while todo:
        node = todo.pop()
        yield node
        if node.type not in but:
            todo.extend(reversed(node.named_children))


def text_of(node: "Node | None") -> str:
    return "" if node is None or node.text is None else node.text.decode(errors="replace")
