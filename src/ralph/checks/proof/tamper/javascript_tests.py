"""JavaScript and TypeScript: where their tests are, which assertions could fail, and what their imports are called."""

import re
from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ralph.checks.proof.tamper.reader import BODIES, Reader, Test
from ralph.checks.proof.tamper.sheet import Case
from ralph.checks.proof.tamper.tokens import slash_tokens
from ralph.syntax.outline import Item

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = r"""
(function_declaration) @function
(function_expression) @function
(generator_function_declaration) @function
(method_definition) @function
(arrow_function) @lambda
(variable_declarator value: [(arrow_function) (function_expression)]) @named
(class_declaration) @class
(class) @class
(if_statement) @if
(switch_statement) @if
(for_statement) @loop
(for_in_statement) @loop
(while_statement) @loop
(do_statement) @loop
(try_statement) @try
(catch_clause) @except
(call_expression) @call
(throw_statement) @raise
(return_statement) @return
(assignment_expression) @assign
(import_statement) @import
((variable_declarator value: (call_expression function: (identifier) @_called)) @import (#eq? @_called "require"))
((if_statement condition: (_) @_condition consequence: (_) @main)
  (#match? @_condition "^\\(\\s*(require\\.main === module|module === require\\.main|import\\.meta\\.main)\\s*\\)$"))
((if_statement condition: (_) @_condition consequence: (_) @main)
  (#match? @_condition "^\\([^|&]*import\\.meta\\.url[^|&]* === [^|&]*argv\\[1\\][^|&]*\\)$"))
((if_statement condition: (_) @_condition consequence: (_) @main)
  (#match? @_condition "^\\([^|&]*argv\\[1\\][^|&]* === [^|&]*import\\.meta\\.url[^|&]*\\)$"))
(subscript_expression index: (binary_expression left: (string) operator: "+" right: (string)) @disguise)
((member_expression object: (new_expression constructor: (identifier) @_error) property: (property_identifier) @_stack)
  @stack (#eq? @_error "Error") (#eq? @_stack "stack"))
"""
TEST = re.compile(
    r"((?:Deno|QUnit|t|tap|ctx)\.test|[fx]?(?:test|it)|specify|xspecify)((?:\.\w+)*)((?:\(.*|`.*)?)", re.DOTALL
)
GROUP = re.compile(r"([fx]?(?:describe|context|suite)|QUnit\.module)((?:\.\w+)*)((?:\(.*|`.*)?)", re.DOTALL)
CHECK = re.compile(
    r"(?:expect(?!\.(?:assertions|hasAssertions|extend|addSnapshotSerializer)\b)|assert|should|chai|cy"
    r"|sinon\.assert)\b.*"
    r"|t(?:ap)?\.(?:is|not|true|false|truthy|falsy|throws|rejects|regex|like|pass|fail|ok|notOk|equals?|same|match"
    r"|assert\b.*"
    r"|deepEqual|deepEquals|notEqual|strictEqual|strictSame|error|doesNotThrow|snapshot)(?:\.\w+)?"
    r"|(?:not)?(?:strict|deep|deepStrict)?[eE]qual|(?:check|verify|ensure|must|expect|assert)[A-Z_]\w*|.*\.should\b.*",
    re.DOTALL,
)
NEVER = re.compile(rb"\(?\s*(?:false|0|null|undefined|!1|!true|\"\"|''|\[\])\s*\)?")
HEEDS = re.compile(rb"\bthrow\b|\bexpect\b|\bassert|\bfail\b|\breject\b|\bdone\(|\bnext\(")
LATER = re.compile(r"setTimeout|setImmediate|queueMicrotask|process\.nextTick")
REQUIRED = re.compile(r"""require\(['"](?:node:)?([\w@/.-]+)['"]\)""")
MODULE = re.compile(r"""(?:from|require\(|import)\s*['"](?:node:)?([^'"]+)['"]""")
NAMES = re.compile(r"\{([^}]*)\}")


class JavaScriptTests(Reader):
    query = QUERY
    tokens = staticmethod(slash_tokens)
    context = re.compile(
        rb"import\b|(?:const|let|var)\b[^\n]*\brequire\b|(?:async\s+|export\s+)*function\b(?=[^\0]*\b(?:expect"
        rb"|assert|exit)\b)"
        rb"|(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:\(|function)(?=[^\0]*\b(?:expect|assert|exit)\b)"
    )

    def found_tests(self) -> Iterator[Test]:
        for item in self.outline.of_any(BODIES | {"call"}):
            if item.kind in BODIES:
                if name := self.name_of(item):
                    yield Test(item, item, self._helper(item, name))
            elif (found := TEST.fullmatch(self.called(item))) and (arguments := self.arguments(item)):
                body = self._bodies.get(item.start, {}).get(item.end) or item
                if body is not item or "todo" in found[2] or found[1][0] == "x":
                    yield Test(item, body, self._case(item, body, found, arguments))

    def _case(self, item: Item, body: Item, found: "re.Match[str]", arguments: "list[Node]") -> Case:
        options = [self.tokens(node.text or b"") for node in arguments if node.type == "object"]
        return Case(
            _string(arguments[0]),
            self.scope_of(item),
            item.line,
            body.field("body") if body is not item else b"",
            tokens=self.tokens,
            details=partial(self.details, body),
            marks=[self.tokens(found[3].encode()), *options],
        )

    def _helper(self, item: Item, name: bytes) -> Case:
        return Case(
            name.decode(errors="replace"),
            self.scope_of(item),
            item.line,
            item.field("body"),
            tokens=self.tokens,
            details=partial(self.details, item),
            is_collected=False,
        )

    def name_of(self, function: Item) -> bytes:
        """The function's own name, or that of the variable that holds it."""
        if function.up and function.up.kind == "named":
            return function.up.field("name")
        return function.field("name")

    @cached_property
    def _bodies(self) -> dict[int, dict[int, Item]]:
        """The last function argument of each call, by the beginning and the end of the call."""
        found: dict[int, dict[int, Item]] = {}
        for item in self.outline.of_any(BODIES):
            if item.up and item.up.kind == "call":
                found.setdefault(item.up.start, {})[item.up.end] = item
        return found

    def scope_of(self, item: Item) -> str:
        """The groups around the item, and the item itself if it is one."""
        names: list[str] = []
        for each in (item, *item.above()):
            if each.kind == "call" and (arguments := self.arguments(each)):
                called = self.called(each)
                if GROUP.fullmatch(called) or (each is not item and TEST.fullmatch(called)):
                    names.append(_string(arguments[0]))
        return " > ".join(reversed(names))

    @staticmethod
    def arguments(call: Item) -> "list[Node]":
        given = call.node.child_by_field_name("arguments")
        return [node for node in given.named_children if node.type != "comment"] if given else []

    # Assertions.

    def is_check(self, item: Item) -> bool:
        if item.kind == "raise":
            return True
        if item.kind != "call":
            return False
        name = self.called(item)
        is_failure = self.source.is_judge and name == "process.exit" and b"0" not in item.field("arguments")
        return is_failure or CHECK.fullmatch(name) is not None or name.encode() in self.checking_functions

    @cached_property
    def checking_functions(self) -> set[bytes]:
        """The functions of this file that assert something: a call of one is an assertion."""
        found: set[bytes] = set()
        for item in self.outline.of("call"):
            if re.match(r"(?:expect|assert)\b", self.called(item)):
                function = next((each for each in item.above() if each.kind in BODIES and self.name_of(each)), None)
                if function and not function.within("call"):
                    found.add(self.name_of(function))
        return found

    def expectation(self, check: Item) -> bytes:
        if check.kind == "raise":
            return check.text
        name = check.field("function")
        if name == b"expect":
            return b""  # it says what is looked at and expects nothing of it
        if b".should" in name or name == b"process.exit" or name in self.checking_functions:
            return check.text
        return check.text.partition(b"(")[2]

    def swallows(self, scope: Item, check: Item) -> bool:
        if scope.kind == "lambda" and scope.up and scope.up.kind == "call":
            return LATER.fullmatch(self.called(scope.up)) is not None and not HEEDS.search(
                scope.text.replace(check.text, b"")
            )
        body = scope.node.child_by_field_name("body") or scope.node.child_by_field_name("consequence")
        if body is None or not body.start_byte <= check.start < body.end_byte:
            return False
        if scope.kind == "try":
            handler = scope.field("handler")
            return handler != b"" and not HEEDS.search(handler)
        return scope.kind in ("if", "loop") and NEVER.fullmatch(scope.field("condition")) is not None

    def ends_body(self, item: Item) -> bool:
        return item.kind in ("return", "raise") or (
            item.kind == "call" and re.fullmatch(r"(?:t|this|ctx|context)\.skip", self.called(item)) is not None
        )

    # Names.

    def resolved(self, name: str) -> str:
        if found := REQUIRED.match(name):
            name = found[1] + name[found.end() :]
        first, dot, rest = name.partition(".")
        return f"{self.imported[first]}{dot}{rest}" if first in self.imported else name

    @cached_property
    def imported(self) -> dict[str, str]:
        """This file's names for the assertions that it imports; other modules are known by their own names."""
        names: dict[str, str] = {}
        for item in self.outline.of("import"):
            text = item.text.decode(errors="replace")
            module = MODULE.search(text)
            if module and re.fullmatch(r"assert(?:/strict)?|chai|process|@jest/globals|vitest|test", module[1]):
                names |= _aliases(text, module[1].partition("/")[0])
        return names


def _aliases(text: str, module: str) -> dict[str, str]:
    names: dict[str, str] = {}
    listed = NAMES.search(text)
    prefix = f"{module}." if module in ("assert", "process") else ""
    for each in listed[1].split(",") if listed else ():
        name, _, alias = re.sub(r"\s+as\s+|\s*:\s*", " ", each.strip()).partition(" ")
        if name:
            names[alias or name] = prefix + name
    default = re.match(r"(?:import\s+)?(?:\*\s+as\s+)?([\w$]+)\s*(?:=|,|from)", text)
    if default and module in ("assert", "process"):
        names[default[1]] = module
    return names


def _string(node: "Node") -> str:
    text = (node.text or b"").decode(errors="replace")
    return text[1:-1] if node.type in ("string", "template_string") else text[:120]
