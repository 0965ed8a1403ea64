"""Rust: a module marks what it offers with `pub`; tests are in modules of their own, usually in the same file."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ralph.plan.outlines import Names, field, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

TYPES = frozenset({"struct_item", "enum_item", "trait_item", "type_item", "union_item"})
VALUES = frozenset({"function_item", "const_item", "static_item", "mod_item", "function_signature_item"})
TEST = re.compile(r"#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|proptest)\b")
MACRO_EXPORT = re.compile(r"#\[\s*macro_export\b")
USED = re.compile(r"(?:\bas\s+)?([A-Za-z_]\w*)\s*(?=[,}]|$)")
"""The last word of each path in a `use`: its local name."""


def read(root: "Node", names: Names) -> None:
    for node, attributes in _items(root):
        if node.type == "macro_definition":
            if any(map(MACRO_EXPORT.match, attributes)):
                names.export(field(node, "name"))
        elif _is_public(node):
            _offered(node, names)
    for path, node in _tests(root):
        names.test(*path, field(node, "name"))


def _offered(node: "Node", names: Names) -> None:
    if node.type in TYPES:
        names.export_type(field(node, "name"))
    elif node.type in VALUES:
        names.export(field(node, "name"))
    elif node.type == "use_declaration":
        used = "".join(field(node, "argument").split("\n"))
        names.export(*(name for name in USED.findall(used) if name not in ("self", "_", "super", "crate")))


def _items(parent: "Node") -> "Iterator[tuple[Node, list[str]]]":
    """Each item with the attributes before it."""
    attributes: list[str] = []
    for node in parent.named_children:
        if node.type == "attribute_item":
            attributes.append(text_of(node))
        elif "comment" not in node.type:
            yield node, attributes
            attributes = []


def _tests(root: "Node") -> "Iterator[tuple[tuple[str, ...], Node]]":
    todo: list[tuple[tuple[str, ...], Node]] = [((), root)]
    while todo:
        path, parent = todo.pop()
        for node, attributes in _items(parent):
            if node.type == "function_item" and any(map(TEST.match, attributes)):
                yield path, node
            elif node.type == "mod_item" and (body := node.child_by_field_name("body")):
                todo.append(((*path, field(node, "name")), body))


def _is_public(node: "Node") -> bool:
    return any(child.type == "visibility_modifier" for child in node.children[:2])
