"""Tests in Go that must fail: another literal in a comparison, and a file beside it with a test that fails."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ralph.checks.proof.canary.edits import Altered, Change, Edit, Suite, altered_by, edited
from ralph.checks.proof.canary.syntax import inside, parsed, text_of
from ralph.checks.proof.canary.whole_numbers import other_literal

if TYPE_CHECKING:
    from tree_sitter import Node

LITERALS = {"int_literal", "float_literal", "interpreted_string_literal", "true", "false"}
FAILS = re.compile(r"\b(Fatal|Fatalf|Error|Errorf|Fail|FailNow)\(")
TESTIFY = re.compile(r"(assert|require)\.(Equal|EqualValues|Exactly)")
LEFT_ALONE = re.compile(r"\bSkip|\bskip|[Ss]napshot|quick\.Check|rapid\.Check")
FUNCTIONS = frozenset({"func_literal"})
BUILD_TAGS = re.compile(rb"^//(go:build| \+build).*$", re.MULTILINE)


class GoTest(NamedTuple):
    name: str
    parameter: str
    body: "Node"


def altered(suite: Suite) -> Altered | None:
    """The file with tests that must fail; None if none of its tests may be changed."""
    root = parsed("go", suite.content)
    if root is None:
        return None
    tests = [each for each in _tests(root) if suite.is_run(each.name)]
    changes = [each for each in (_in_place(test, suite.word) for test in tests) if each]
    changes = changes or [_at_the_begin(test, suite.word) for test in tests[:1]]
    content = edited(suite.content, (each.edit for each in changes))
    changed = altered_by(suite, content if parsed("go", content) else None, changes)
    return _with_file_beside(suite, root, tests[0].name, changed) if changed else None


def _with_file_beside(suite: Suite, root: "Node", like: str, changed: Altered) -> Altered:
    """The change with an additional file. The test's name begins like that of a test that is run, because a command may
    select tests by name.
    """
    name, path = f"{like}X{suite.word}", PurePosixPath(suite.path).with_name(f"x{suite.word}_test.go")
    package = next(each for each in root.named_children if each.type == "package_clause")
    tags = [found[0].decode() for found in BUILD_TAGS.finditer(suite.content[: package.start_byte])]
    lines = [*tags, *([""] if tags else []), text_of(package), "", 'import "testing"', ""]
    lines += [f"func {name}(t *testing.T) {{", f'\tt.Fatal("{suite.word}")', "}", ""]
    must_fail = (*changed.must_fail, f"{suite.reported.place}::{name}")
    return Altered(changed.content, must_fail, {str(path): "\n".join(lines).encode()})


def _tests(root: "Node") -> Iterator[GoTest]:
    for node in root.named_children:
        name, body = text_of(node.child_by_field_name("name")), node.child_by_field_name("body")
        taken = re.fullmatch(r"\(\s*(\w+) \*testing\.T\s*\)", text_of(node.child_by_field_name("parameters")))
        if node.type != "function_declaration" or body is None or taken is None or not name.startswith("Test"):
            continue
        if taken[1] != "_" and not LEFT_ALONE.search(text_of(body)):
            yield GoTest(name, taken[1], body)


def _in_place(test: GoTest, word: str) -> Change | None:
    """The change of the literal in the first comparison, if nothing can return before it."""
    for statement in _statements(test.body):
        if (literal := _compared(statement)) and (other := other_literal(literal.type, text_of(literal), word)):
            return Change(Edit(literal.start_byte, literal.end_byte, other.encode()), test.name)
        if any(each.type in {"return_statement", "goto_statement"} for each in inside(statement, but=FUNCTIONS)):
            return None
    return None


def _at_the_begin(test: GoTest, word: str) -> Change:
    begin = test.body.start_byte + 1
    return Change(Edit(begin, begin, f'\n\t{test.parameter}.Fatal("{word}")'.encode()), test.name)


def _statements(body: "Node") -> list["Node"]:
    return [each for part in body.named_children for each in (part.named_children or [part])]


def _compared(statement: "Node") -> "Node | None":
    if statement.type == "if_statement":
        return _unequal(statement)
    call = statement.named_children[0] if statement.type == "expression_statement" else None
    arguments = call.child_by_field_name("arguments") if call else None
    if call is None or arguments is None or not TESTIFY.fullmatch(text_of(call.child_by_field_name("function"))):
        return None
    return _literal(arguments.named_children[1:3])


def _unequal(statement: "Node") -> "Node | None":
    """The comparison of `if got != 4 { t.Fatal(...) }`."""
    condition, then = statement.child_by_field_name("condition"), statement.child_by_field_name("consequence")
    if condition is None or condition.type != "binary_expression" or not FAILS.search(text_of(then)):
        return None
    if text_of(condition.child_by_field_name("operator")) != "!=":
        return None
    return _literal(condition.named_children)


def _literal(sides: list["Node"]) -> "Node | None":
    """The literal of a comparison with exactly one literal side."""
    found = [each for each in sides if each.type in LITERALS]
    return found[0] if len(found) == 1 else None
