"""Tests in Rust that must fail: another literal in assert_eq!, and a test that panics beside it."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ralph.checks.proof.canary.edits import Altered, Change, Edit, Suite, after_line, altered_by, edited, indentation
from ralph.checks.proof.canary.syntax import inside, parsed, text_of
from ralph.checks.proof.canary.whole_numbers import other_literal

if TYPE_CHECKING:
    from tree_sitter import Node

TEST = re.compile(r"#\[\s*((tokio|async_std|actix_rt)::)?test\b")
LEFT_ALONE = re.compile(r"\b(ignore|should_panic|proptest|quickcheck)\b")
FUNCTIONS = frozenset({"closure_expression", "function_item"})
LITERALS = {"integer_literal", "float_literal", "string_literal", "boolean_literal"}


class RustTest(NamedTuple):
    node: "Node"
    body: "Node"
    modules: tuple[str, ...]

    @property
    def name(self) -> str:
        return text_of(self.node.child_by_field_name("name"))

    def id(self, name: str) -> str:
        return "::".join((*self.modules, name))


def altered(suite: Suite) -> Altered | None:
    """The file with tests that must fail; None if none of its tests may be changed."""
    root = parsed("rust", suite.content)
    if root is None:
        return None
    tests = [each for each in _tests(root, ()) if suite.is_run(each.name)]
    changes = [each for each in (_in_place(test, suite.word) for test in tests) if each]
    changes = changes or [_at_the_begin(test, suite.word) for test in tests[:1]]
    changes += [_added(suite, test) for test in tests[:1]]
    content = edited(suite.content, (each.edit for each in changes))
    return altered_by(suite, content if parsed("rust", content) else None, changes)


def _tests(scope: "Node", modules: tuple[str, ...]) -> Iterator[RustTest]:
    attributes = ""
    for node in scope.named_children:
        body = node.child_by_field_name("body")
        if node.type == "mod_item" and body:
            yield from _tests(body, (*modules, text_of(node.child_by_field_name("name"))))
        if node.type == "function_item" and body and TEST.search(attributes) and not LEFT_ALONE.search(attributes):
            yield RustTest(node, body, modules)
        if node.type not in {"attribute_item", "line_comment", "block_comment"}:
            attributes = ""
        elif node.type == "attribute_item":
            attributes += text_of(node)


def _in_place(test: RustTest, word: str) -> Change | None:
    """The change of the literal in the first assert_eq!, if nothing can return before it."""
    for statement in test.body.named_children:
        if (literal := _compared(statement)) and (other := other_literal(literal.type, text_of(literal), word)):
            return Change(Edit(literal.start_byte, literal.end_byte, other.encode()), test.id(test.name))
        if any(each.type == "return_expression" for each in inside(statement, but=FUNCTIONS)):
            return None
    return None


def _compared(statement: "Node") -> "Node | None":
    """The literal that is compared. A macro's arguments are tokens, so only an argument that is one literal is
    certain.
    """
    macro = statement.named_children[0] if statement.type == "expression_statement" else statement
    if macro.type != "macro_invocation" or text_of(macro.child_by_field_name("macro")) != "assert_eq":
        return None
    tokens = next((each for each in macro.named_children if each.type == "token_tree"), None)
    arguments = _arguments(tokens) if tokens else []
    literals = [each[0] for each in arguments[:2] if len(each) == 1 and each[0].type in LITERALS]
    return literals[0] if len(literals) == 1 else None


def _arguments(tokens: "Node") -> list[list["Node"]]:
    arguments: list[list[Node]] = [[]]
    for each in tokens.children[1:-1]:
        if each.type == ",":
            arguments.append([])
        else:
            arguments[-1].append(each)
    return arguments


def _at_the_begin(test: RustTest, word: str) -> Change:
    begin = test.body.start_byte + 1
    text = f' assert!("{word}".is_empty());'.encode()
    return Change(Edit(begin, begin, text), test.id(test.name))


def _added(suite: Suite, test: RustTest) -> Change:
    """An additional test. Its name begins like that of a test that is run, because a command may select tests by
    name.
    """
    name, indent = f"{test.name}_x{suite.word}", indentation(suite.content, test.node.start_byte)
    position = after_line(suite.content, test.node.end_byte)
    first = b"" if suite.content[:position].endswith(b"\n") else b"\n"
    lines = (b"#[test]", f"fn {name}() {{".encode(), f'    panic!("{suite.word}");'.encode(), b"}")
    text = first + b"\n" + b"".join(indent + line + b"\n" for line in lines)
    return Change(Edit(position, position, text), test.id(name))
