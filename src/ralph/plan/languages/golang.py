"""Go: exported names begin with a capital letter."""

from typing import TYPE_CHECKING

from ralph.plan.outlines import Names, field, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

TESTS = ("Test", "Benchmark", "Fuzz", "Example")
TYPES = ("type_spec", "type_alias")
VALUES = ("const_spec", "var_spec")


def read(root: "Node", names: Names) -> None:
    for node in root.named_children:
        match node.type:
            case "function_declaration":
                _function(field(node, "name"), names)
            case "type_declaration":
                for spec in node.named_children:
                    if spec.type in TYPES and _is_public(name := field(spec, "name")):
                        names.export_type(name)
            case "const_declaration" | "var_declaration":
                for spec in _specs(node):
                    names.export(*filter(_is_public, map(text_of, spec.children_by_field_name("name"))))
            case _:
                pass


def _function(name: str, names: Names) -> None:
    if names.path.endswith("_test.go") and name.startswith(TESTS):
        names.test(name)
    elif _is_public(name):
        names.export(name)


def _specs(declaration: "Node") -> "list[Node]":
    """The specs of a declaration. Those in parentheses are in a list of their own."""
    lists = [node for node in declaration.named_children if node.type == "var_spec_list"]
    children = [child for each in lists for child in each.named_children]
    return [node for node in (*declaration.named_children, *children) if node.type in VALUES]


def _is_public(name: str) -> bool:
    return name[:1].isupper()
