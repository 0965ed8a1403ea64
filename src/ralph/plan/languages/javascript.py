"""JavaScript and TypeScript: what a module exports, and which exports render something."""

import re
from bisect import bisect_left
from itertools import islice
from typing import TYPE_CHECKING

from ralph.plan.outlines import Names, field, text_of
from ralph.plan.source_files import grammar_of, stem
from ralph.syntax.grammars import query
from ralph.syntax.outline import Item, Outline, Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

TYPES = frozenset(
    {
        *("class_declaration", "abstract_class_declaration", "interface_declaration", "type_alias_declaration"),
        "enum_declaration",
    }
)
FUNCTIONS = frozenset({"function_declaration", "generator_function_declaration", "function_signature"})
VARIABLES = frozenset({"lexical_declaration", "variable_declaration"})
DRAWN = "[(jsx_element) (jsx_self_closing_element)] @drawn"
MAY_DRAW = re.compile(rb"<[\w>]")
COMPONENT = re.compile(r"[A-Z]\w*[a-z]\w*|[A-Z]")
"""The name of a component. A name in capitals is a constant."""
ANGULAR = re.compile(r"@Component\b")
EXPORTS = re.compile(r"(?:module\.)?exports(?:\.([\w$]+))?")
DEFAULT = "default"
MOST_GROUPS = 20
TESTS = """
((call_expression function: (identifier) @_name) @group (#any-of? @_name "describe" "context" "suite" "fdescribe"))
((call_expression function: (identifier) @_name) @test (#any-of? @_name "it" "test" "specify" "fit"))
((call_expression function: (member_expression object: (identifier) @_name)) @group
  (#any-of? @_name "describe" "context" "suite"))
((call_expression function: (member_expression object: (identifier) @_name)) @test
  (#any-of? @_name "it" "test" "specify" "Deno"))
((call_expression function: (call_expression function: (member_expression object: (identifier) @_name))) @test
  (#any-of? @_name "it" "test"))
"""
MAY_TEST = re.compile(rb"\b(?:it|test|specify)\b")


def read(root: "Node", names: Names) -> None:
    drawn = [] if names.is_test else _drawn(root, names)
    for node in root.named_children:
        if node.type == "export_statement":
            _exported(node, names)
        elif node.type == "expression_statement":
            _common_js(node, names)
        _components(node, names, drawn)
    if names.is_test and MAY_TEST.search(names.content):
        _tests(names)


def _exported(node: "Node", names: Names) -> None:
    declaration = node.child_by_field_name("declaration")
    if declaration and declaration.type == "ambient_declaration" and declaration.named_children:
        declaration = declaration.named_children[-1]
    if declaration:
        _declared(declaration, names)
    elif node.child_by_field_name("value"):
        # `export default ...`: by its name if it has one.
        value = node.child_by_field_name("value")
        names.export(text_of(value) if value and value.type == "identifier" else DEFAULT)
    for child in node.named_children:
        if child.type == "export_clause":
            for each in child.named_children:
                names.export(field(each, "alias") or field(each, "name"))
        elif child.type == "namespace_export":
            names.export(*(text_of(each) for each in child.named_children))


def _declared(node: "Node", names: Names) -> None:
    if node.type in TYPES:
        names.export_type(field(node, "name"))
    elif node.type in VARIABLES:
        names.export(*_variables(node))
    else:
        names.export(field(node, "name") or DEFAULT)


def _variables(node: "Node") -> list[str]:
    """The names that `const a = 1, { b, c: d } = e` sets."""
    found: list[str] = []
    for each in node.named_children:
        name = each.child_by_field_name("name")
        if name and name.type in ("object_pattern", "array_pattern"):
            found += [field(part, "value") or text_of(part) for part in name.named_children]
        else:
            found.append(text_of(name))
    return found


def _common_js(node: "Node", names: Names) -> None:
    """Read `module.exports = ...`, `module.exports.a = ...` and `exports.a = ...`."""
    assignment = node.named_children[0] if node.named_children else None
    if assignment is None or assignment.type != "assignment_expression":
        return
    target = EXPORTS.fullmatch(field(assignment, "left"))
    right = assignment.child_by_field_name("right")
    if target is None or right is None:
        return
    if target[1]:
        names.export(target[1])
    elif right.type == "object":
        keys = (field(each, "key") or field(each, "name") or text_of(each) for each in right.named_children)
        names.export(*(key.strip("\"'") for key in keys))
    elif right.type in ("identifier", "class", "function_expression"):
        names.export(text_of(right) if right.type == "identifier" else field(right, "name") or DEFAULT)


def _drawn(root: "Node", names: Names) -> list[int]:
    """The positions in the text where something is rendered, in order."""
    grammar = grammar_of(names.path)
    if grammar == "typescript" or not MAY_DRAW.search(names.content):
        return []
    from tree_sitter import QueryCursor

    found = QueryCursor(query(grammar, DRAWN)).captures(root)
    return sorted(node.start_byte for node in found.get("drawn", ()))


def _components(node: "Node", names: Names, drawn: list[int]) -> None:
    """Find the components: a top-level function or class that renders something, or one that Angular renders."""
    if node.type == "export_statement" and ANGULAR.search(text_of(node.child_by_field_name("decorator"))):
        declaration = node.child_by_field_name("declaration")
        names.component(field(declaration, "name") if declaration else "")
    first = bisect_left(drawn, node.start_byte)
    if first == len(drawn) or drawn[first] >= node.end_byte:
        return
    inner = node.child_by_field_name("declaration") or node.child_by_field_name("value") or node
    found = _variables(inner) if inner.type in VARIABLES else [field(inner, "name")]
    is_default = node.type == "export_statement" and any(child.type == DEFAULT for child in node.children)
    if is_default and not any(found):
        # Without a name it is named after its file.
        found = [stem(names.path)]
    for name in filter(COMPONENT.fullmatch, found):
        names.component(name)


def _tests(names: Names) -> None:
    outline = Outline(Parsed(grammar_of(names.path), names.content), TESTS)
    for item in outline.of("test"):
        groups = [each for each in islice(item.above(), MOST_GROUPS) if each.kind == "group"]
        if title := _title(item):
            names.test(*(_title(each) for each in reversed(groups)), title, between=" > ")


def _title(call: Item) -> str:
    arguments = call.node.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments and arguments.named_children else None
    return text_of(first)[1:-1] if first and first.type in ("string", "template_string") else ""
