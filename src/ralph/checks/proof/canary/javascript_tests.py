"""Which calls in a JavaScript or TypeScript file are tests that may be changed, and where they state what they
expect.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ralph.checks.proof.canary.syntax import inside, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

GROUPS = {"describe", "suite", "context"}
TEST = re.compile(r"(\w+\.)?(test|it|specify)")
FUNCTIONS = frozenset({"arrow_function", "function_expression", "function_declaration", "generator_function", "class"})
MATCHERS = {"toBe", "toEqual", "toStrictEqual", "equal", "equals", "eq", "eql"}
ASSERTIONS = re.compile(r"((t|assert|t\.assert)\.)?(equal|strictEqual|deepEqual|deepStrictEqual)|t\.(is|same)")
LEFT_ALONE = re.compile(r"snapshot|\bskip|\btodo\b|\bfc\.|\bplan\(", re.IGNORECASE)
"""Words in a test that may not run, is not a single comparison, or counts its assertions."""
SELECTED = re.compile(r"\b(test|it|describe|suite)\.only\b|\b(fit|fdescribe)\(|\bonly:")


class ScriptTest(NamedTuple):
    """A test such as `test('adds', () => { ... })`."""

    statement: "Node"
    callee: str
    title: "Node"
    body: "Node"
    """The body of the test function: a block or one expression."""
    groups: tuple[str, ...]
    expected: "Node | None"

    @property
    def name(self) -> str:
        return title_text(self.title)


def script_tests(root: "Node") -> list[ScriptTest]:
    """The tests that may be changed, in order. Each has a title that no other test of the file has."""
    if SELECTED.search(text_of(root)):
        return []
    titles = Counter(_all_titles(root))
    return [each for each in _tests(root, ()) if titles[each.name] == 1]


def title_text(title: "Node") -> str:
    return text_of(title)[1:-1]


def _tests(block: "Node", groups: tuple[str, ...]) -> Iterator[ScriptTest]:
    for statement in block.named_children:
        call = _called(statement)
        parts = _parts(call)
        if call is None or parts is None:
            continue
        callee, (title, body) = text_of(call.child_by_field_name("function")), parts
        if callee in GROUPS:
            yield from _tests(body, (*groups, title_text(title)))
        elif TEST.fullmatch(callee) and not LEFT_ALONE.search(text_of(call).replace(title_text(title), "", 1)):
            yield ScriptTest(statement, callee, title, body, groups, _expected(body))


def _called(statement: "Node") -> "Node | None":
    """The call in an expression statement, awaited or not."""
    node = statement
    if node.type in {"expression_statement", "await_expression"} and node.named_child_count == 1:
        return _called(node.named_children[0])
    return node if node.type == "call_expression" else None


def _parts(call: "Node | None") -> "tuple[Node, Node] | None":
    """The title and the body of the function, if they are literal."""
    arguments = call.child_by_field_name("arguments") if call else None
    given = [each for each in arguments.named_children if each.type not in {"comment", "number"}] if arguments else []
    match given:
        case [title, *_, function] if function.type in FUNCTIONS and _is_plain(title):
            body = function.child_by_field_name("body")
            return (title, body) if body else None
        case _:
            return None


def _is_plain(title: "Node") -> bool:
    fragments = {each.type for each in title.named_children}
    return title.type in {"string", "template_string"} and fragments == {"string_fragment"}


def _all_titles(root: "Node") -> Iterator[str]:
    for node in inside(root):
        if node.type == "call_expression" and (parts := _parts(node)):
            yield title_text(parts[0])


def _expected(body: "Node") -> "Node | None":
    """The expected value of an assertion that is a statement of the test itself, if nothing can return before it."""
    if body.type != "statement_block":
        return _compared(body)
    for statement in body.named_children:
        if found := _compared(statement):
            return found
        if any(each.type == "return_statement" for each in inside(statement, but=FUNCTIONS)):
            return None
    return None


def _compared(statement: "Node") -> "Node | None":
    call = _called(statement)
    function = call.child_by_field_name("function") if call else None
    arguments = call.child_by_field_name("arguments") if call else None
    if function is None or arguments is None:
        return None
    given = [each for each in arguments.named_children if each.type != "comment"]
    if any(each.type == "spread_element" for each in given):
        return None
    if ASSERTIONS.fullmatch(text_of(function)):
        return given[1] if len(given) > 1 else None
    return given[0] if given and _is_expectation(function, awaited=_is_awaited(statement)) else None


def _is_expectation(function: "Node", *, awaited: bool) -> bool:
    """Whether it is `expect(x).toBe`, `expect(x).to.deep.equal` or `await expect(x).resolves.toBe`, without `not`."""
    names: list[str] = []
    node = function
    while node.type == "member_expression":
        names.append(text_of(node.child_by_field_name("property")))
        below = node.child_by_field_name("object")
        if below is None:
            return False
        node = below
    if text_of(node.child_by_field_name("function")) != "expect" or not names:
        return False
    later = {"resolves", "rejects", "eventually"} & set(names)
    return names[0] in MATCHERS and "not" not in names and (awaited or not later)


def _is_awaited(statement: "Node") -> bool:
    return any(each.type == "await_expression" for each in (statement, *statement.named_children))
