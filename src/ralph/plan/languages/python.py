"""Python: what a module offers by its public names, or by `__all__` if it has one."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ralph.plan.outlines import Names, field, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

NAMED = re.compile(r"""["']([^"'\\]*)["']""")
ALL = "__all__"
TYPE_ALIASES = ("TypeAlias", "typing.TypeAlias", "type")
OUTER = frozenset({"if_statement", "else_clause", "elif_clause", "try_statement", "except_clause", "block"})
"""The nodes that may contain a definition that is still the module's own."""


def read(root: "Node", names: Names) -> None:
    listed: list[str] = []
    for node in _statements(root):
        match node.type:
            case "class_definition":
                _public(names.export_type, field(node, "name"))
                _tests_of(node, names)
            case "function_definition":
                _public(names.export, field(node, "name"))
                _test(node, names)
            case "type_alias_statement":
                _public(names.export_type, field(node, "left").partition("[")[0])
            case "expression_statement":
                listed += _assigned(node, names)
            case "import_from_statement":
                _taken_over(node, names)
            case _:
                pass
    if listed:
        # The list is what the module offers, whatever else it defines.
        names.types = {name: None for name in names.types if name in listed}
        names.exports = {}
        names.export(*listed)


def _public(add: Callable[[str], None], name: str) -> None:
    if not name.startswith("_"):
        add(name)


def _statements(root: "Node") -> "Iterator[Node]":
    """The statements in the order of the text, also those under a condition. A decorated one is without its
    decorators.
    """
    todo = list(reversed(root.named_children))
    while todo:
        node = todo.pop()
        if node.type in OUTER:
            todo.extend(reversed(node.named_children))
        elif node.type == "decorated_definition":
            definition = node.child_by_field_name("definition")
            todo += [definition] if definition else []
        else:
            yield node


def _assigned(statement: "Node", names: Names) -> list[str]:
    """The names in `__all__`, if this statement sets it; any other public name that it sets is offered."""
    node = statement.named_children[0] if statement.named_children else None
    while node and node.type in ("assignment", "augmented_assignment"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        name = text_of(left)
        if name == ALL:
            return NAMED.findall(text_of(right))
        is_type = field(node, "type") in TYPE_ALIASES
        # Others rarely import a constant in capitals; if they do, `__all__` usually lists it.
        if left and left.type == "identifier" and node.type == "assignment" and not name.isupper():
            _public(names.export_type if is_type else names.export, name)
        # `a = b = 1`
        node = right
    return []


def _taken_over(node: "Node", names: Names) -> None:
    """Read the names that a package offers from its own modules."""
    if not names.path.endswith("__init__.py") or not field(node, "module_name").startswith("."):
        return
    for child in node.children_by_field_name("name"):
        _public(names.export, field(child, "alias") or text_of(child))


def _test(function: "Node", names: Names) -> None:
    if names.is_test and field(function, "name").startswith("test"):
        names.test(field(function, "name"))


def _tests_of(node: "Node", names: Names) -> None:
    """Read the test methods of a class and of the classes inside it, as pytest names them."""
    if not names.is_test:
        return
    todo: list[tuple[tuple[str, ...], Node]] = [((field(node, "name"),), node)]
    while todo:
        path, now = todo.pop()
        body = now.child_by_field_name("body")
        for child in body.named_children if body else ():
            inner = child.child_by_field_name("definition") if child.type == "decorated_definition" else child
            name = field(inner, "name") if inner else ""
            if inner and inner.type == "function_definition" and name.startswith("test"):
                names.test(*path, name)
            elif inner and inner.type == "class_definition":
                todo.append(((*path, name), inner))
