"""Python: where its tests are, which of their assertions could fail, and what its imports are called."""

import re
from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ralph.checks.proof.tamper.reader import Reader, Test
from ralph.checks.proof.tamper.sheet import Case
from ralph.checks.proof.tamper.tokens import hash_tokens
from ralph.syntax.outline import Item

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = r"""
(function_definition) @function
(class_definition) @class
(decorated_definition) @decorated
(decorator) @decorator
(lambda) @lambda
(if_statement) @if
(while_statement) @loop
(for_statement) @loop
(try_statement) @try
(except_clause) @except
(with_statement) @with
(call) @call
(assert_statement) @assert
(raise_statement) @raise
(return_statement) @return
(assignment) @assign
(augmented_assignment) @assign
(import_statement) @import
(import_from_statement) @import
((if_statement condition: (_) @_condition consequence: (block) @main)
  (#match? @_condition "^\\(?(__name__ == .__main__.|.__main__. == __name__)\\)?$"))
((call function: (_) @_called arguments: (argument_list
    (binary_operator left: (string) operator: "+" right: (string)) @disguise))
  (#match? @_called "(getattr|setattr|__import__|import_module|\\.get|eval|exec)$"))
(subscript subscript: (binary_operator left: (string) operator: "+" right: (string)) @disguise)
"""
CHECK = re.compile(
    r"(?:.*\.)?(?:assert\w*|raises|warns|deprecated_call|fail|fails)|(?:check|verify|expect|ensure|must)\w*"
)
BROAD = rb"\b(?:Exception|BaseException|AssertionError)\b"
SWALLOWED = re.compile(rb"except\s*:|except\*?[^:\n]*" + BROAD)
SUPPRESSED = re.compile(rb"suppress\s*\([^)]*" + BROAD + rb"|raises\s*\(\s*" + BROAD)
NEVER = re.compile(rb"\(?\s*(?:False|0|None|not\s+True|\"\"|''|\(\)|\[\]|\{\}|range\(0\)|TYPE_CHECKING)\s*\)?")
IMPORTED_MODULE = re.compile(r"__import__\(['\"]([\w.]+)['\"]\)|(?:importlib\.)?import_module\(['\"]([\w.]+)['\"]\)")
IMPORT = re.compile(r"\bimport\s+(.*)", re.DOTALL)
FROM = re.compile(r"from\s+([\w.]+)\s+import\s+\(?(.*?)\)?\s*$", re.DOTALL)
TEST_BASE = re.compile(rb"Test|Case\b")
LEAVING = re.compile(r"(?:pytest|_pytest\.outcomes)\.skip|self\.skipTest")


class PythonTests(Reader):
    grammar = "python"
    query = QUERY
    tokens = staticmethod(hash_tokens)
    context = re.compile(
        rb"import\b|from\b|(?:@[^\n]*\n|\s)*(?:async\s+)?def\s+(?!test)(?=[^\0]*\b(?:assert\w*|fail|exit)\b)"
    )

    def found_tests(self) -> Iterator[Test]:
        for item in self.outline.of("function"):
            if item.within("function") is None:
                whole = item.up if item.up and item.up.kind == "decorated" else item
                yield Test(whole, item, self._case(item, whole))

    def _case(self, item: Item, whole: Item) -> Case:
        name = item.field("name").decode(errors="replace")
        around = whole.node.named_children if whole is not item else ()
        marks = [self.tokens(each.text or b"") for each in around if each.type == "decorator"]
        return Case(
            name,
            self.scope_of(item),
            whole.line if whole is item else item.line,
            item.field("body"),
            tokens=self.tokens,
            details=partial(self.details, item),
            marks=marks,
            is_collected=self._is_test(item),
        )

    def _is_test(self, item: Item) -> bool:
        """Whether pytest or unittest would find it by name."""
        if not item.field("name").startswith(b"test"):
            return False
        group = item.within("class")
        return (
            group is None
            or group.field("name").startswith(b"Test")
            or bool(TEST_BASE.search(group.field("superclasses")))
        )

    def scope_of(self, item: Item) -> str:
        scope = super().scope_of(item)
        if item.kind == "decorator" and item.up:
            definition = item.up.node.child_by_field_name("definition")
            name = (
                definition.child_by_field_name("name") if definition and definition.type == "class_definition" else None
            )
            if name:
                return ".".join(filter(None, (scope, (name.text or b"").decode(errors="replace"))))
        return scope

    def statements(self, block: "Node") -> "list[Node]":
        return [node for node in block.named_children if node.type != "pass_statement" and not _is_docstring(node)]

    # Assertions.

    def is_check(self, item: Item) -> bool:
        match item.kind:
            case "assert":
                return True
            case "raise":
                return self.source.is_judge or b"AssertionError" in item.text
            case "call":
                name = self.called(item)
                is_helper = name.removeprefix("self.").encode() in self.checking_functions
                return is_helper or CHECK.fullmatch(name) is not None or self._fails(item, name)
            case _:
                return False

    def _fails(self, call: Item, name: str) -> bool:
        """Whether the call fails the check: a judging script does so by its exit code."""
        is_exit = self.source.is_judge and name in ("sys.exit", "exit")
        return is_exit and re.search(rb"[1-9A-Za-z]", call.field("arguments")) is not None

    @cached_property
    def checking_functions(self) -> set[bytes]:
        """The functions of this file that assert something: a call of one is an assertion."""
        found: set[bytes] = set()
        for item in self.outline.of_any(("assert", "call")):
            if item.kind == "assert" or re.fullmatch(r"self\.assert\w+|pytest\.fail", self.called(item)):
                function = item.within("function")
                if function and not function.field("name").startswith(b"test"):
                    found.add(function.field("name"))
        return found

    def expectation(self, check: Item) -> bytes:
        if check.kind == "call":
            owner, dot, name = check.field("function").rpartition(b".")
            return b" ".join((owner.removeprefix(b"self"), check.field("arguments"), b"" if dot else name))
        return check.text.removeprefix(b"assert") if check.kind == "assert" else check.text

    def swallows(self, scope: Item, check: Item) -> bool:
        body = scope.node.child_by_field_name("body") or scope.node.child_by_field_name("consequence")
        if body is None or not body.start_byte <= check.start < body.end_byte:
            return False
        match scope.kind:
            case "try":
                return any(_gives_up(node) for node in scope.node.named_children if node.type == "except_clause")
            case "with":
                return SUPPRESSED.search(scope.text[: body.start_byte - scope.start]) is not None
            case "if" | "loop":
                return NEVER.fullmatch(scope.field("condition") or scope.field("right")) is not None
            case _:
                return False

    def ends_body(self, item: Item) -> bool:
        return item.kind in ("return", "raise") or (
            item.kind == "call" and LEAVING.fullmatch(self.called(item)) is not None
        )

    # Names.

    def resolved(self, name: str) -> str:
        if found := IMPORTED_MODULE.match(name):
            name = (found[1] or found[2]) + name[found.end() :]
        first, dot, rest = name.partition(".")
        return f"{self.imported[first]}{dot}{rest}" if first in self.imported else name

    @cached_property
    def imported(self) -> dict[str, str]:
        """This file's names for what it imports."""
        names: dict[str, str] = {}
        for item in self.outline.of("import"):
            text = item.text.decode(errors="replace")
            if found := FROM.match(text):
                names |= _aliases(found[2], f"{found[1]}.")
            elif found := IMPORT.match(text):
                names |= _aliases(found[1], "")
        return names


def _aliases(listed: str, prefix: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for each in listed.replace("\\", " ").split(","):
        name, _, alias = " ".join(each.partition("#")[0].split()).partition(" as ")
        if name and (alias or prefix):
            names[alias or name] = prefix + name
        elif name:
            first = name.partition(".")[0]
            names[first] = first
    return names


def _gives_up(handler: "Node") -> bool:
    """Whether an except clause catches a failed assertion and lets the test pass."""
    text = handler.text or b""
    return SWALLOWED.match(text) is not None and not re.search(rb"\braise\b|\bassert|\bfail\(", text)


def _is_docstring(node: "Node") -> bool:
    return (
        node.type == "expression_statement" and node.named_child_count == 1 and node.named_children[0].type == "string"
    )
