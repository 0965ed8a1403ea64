"""Go: its tests and its rules."""

import re
from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ralph.checks.proof.tamper.reader import Reader, Test
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.sheet import Case, Hit, is_constant
from ralph.checks.proof.tamper.tokens import slash_tokens
from ralph.model.proof import Level
from ralph.syntax.outline import Item

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = r"""
(function_declaration) @function
(method_declaration) @function
(func_literal) @lambda
(if_statement) @if
(expression_switch_statement) @if
(type_switch_statement) @if
(for_statement) @loop
(call_expression) @call
(return_statement) @return
(package_clause) @package
"""
CALLS = Table(
    (
        Rule("skip", "block", r"\w+\.Skip(?:f|Now)?", "{} skips", "tests"),
        Rule(
            "stack",
            "warn",
            r"runtime\.Callers?(?:Frames)?|debug\.(?:Stack|PrintStack)",
            "{} reads the stack",
            "product",
        ),
        Rule(
            "runner",
            "block",
            r"testing\.(?:Testing|Short|Verbose|CoverMode)",
            "the code asks whether it is under test: {}",
            "product",
        ),
    )
)
WORDS = Table(
    (
        Rule(
            "runner",
            "block",
            r"""flag\.Lookup\(\s*"test\.\w+"|"-test\.\w+""",
            "the code asks whether it is under test: {}",
            "product",
        ),
        Rule(
            "runner",
            "block",
            r"""os\.Args\[0\][^\n]*\.test\b|HasSuffix\([^\n]*"\.test"\)""",
            "the code asks whether it is under test: {}",
            "product",
        ),
        Rule("runner", "warn", r'"[^"\n]*\w_test\.go"', "the code names a test file: {}", "product"),
    )
)
BUILD_TAG = re.compile(r"^//\s*(?:go:build|\+build)\s+(.+)$", re.MULTILINE)
LINKNAME = re.compile(r"^//go:linkname\s+.*$", re.MULTILINE)
TEST = re.compile(rb"(?:Test|Fuzz|Example|Benchmark)(?![a-z])\w*")
CHECK = re.compile(
    r"(?:\w+\.)?(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)|(?:require|assert|is|expect|must|qt|g|gomega|td"
    r"|cmp)\.\w+(?:\(.*)?"
    r"|Expect\(.*|panic|(?:check|verify|ensure|must|expect|assert)[A-Z_]\w*"
)
FAILING = re.compile(r"\w+\.(?:Error|Fatal)f?|(?:require|assert)\.\w+")
NEVER = re.compile(rb"false|!true|\d+\s*==\s*\d+")
PLATFORM = re.compile(r"[!(\s]*(?:linux|darwin|windows|unix|amd64|arm64|cgo|go1\.\d+|race|freebsd)\b.*")


class GoReader(Reader):
    grammar = "go"
    query = QUERY
    calls = CALLS
    words = WORDS
    silent_calls = re.compile(r"fmt\.Print.*|log\.Print.*|len|string|errors\.New")
    tokens = staticmethod(slash_tokens)
    context = re.compile(rb"package\b|import\b|func\s+(?!Test)\w+\([^)]*testing\.")

    def found_tests(self) -> Iterator[Test]:
        for item in self.outline.of("function"):
            is_test = self.source.name.endswith("_test.go") and self._is_test(item)
            case = Case(
                item.field("name").decode(errors="replace"),
                item.field("receiver").decode(errors="replace"),
                item.line,
                item.field("body"),
                tokens=self.tokens,
                details=partial(self.details, item),
                is_collected=is_test,
            )
            yield Test(item, item, case)

    @staticmethod
    def _is_test(item: Item) -> bool:
        """Whether it is a test. A method counts, too: suites run those that are called `Test...`."""
        return TEST.fullmatch(item.field("name")) is not None and item.field("name") != b"TestMain"

    def statements(self, block: "Node") -> "list[Node]":
        inner = block.named_children
        return inner[0].named_children if len(inner) == 1 and inner[0].type == "statement_list" else inner

    # Assertions.

    def is_check(self, item: Item) -> bool:
        if item.kind != "call":
            return False
        name = self.called(item)
        return CHECK.fullmatch(name) is not None or name.encode() in self.checking_functions

    @cached_property
    def checking_functions(self) -> set[bytes]:
        """The helpers of this file that can fail a test: a call of one is an assertion."""
        found: set[bytes] = set()
        for item in self.outline.of("call"):
            function = item.within("function")
            is_helper = function and b"testing." in function.field("parameters") and not self._is_test(function)
            if function and is_helper and FAILING.fullmatch(self.called(item)):
                found.add(function.field("name"))
        return found

    def expectation(self, check: Item) -> bytes:
        """What a check expects: `if got != 3 { t.Fatal("no") }` expects what its condition says."""
        name = check.field("function").rpartition(b".")[2]
        if re.fullmatch(rb"(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|panic)", name):
            around = check.within("if", "loop")
            return self.condition(around) or b"reached" if around else b"reached"
        return (
            check.field("arguments").replace(b"(t,", b"(").replace(b"t,", b"", 1)
            if b"." in check.field("function")
            else check.text
        )

    def only_checks(self, statement: "Node", check: Item) -> bool:
        is_if = statement.type == "if_statement" and statement.child_by_field_name("alternative") is None
        return super().only_checks(statement, check) or (
            is_if and statement.start_byte <= check.start and check.end <= statement.end_byte
        )

    def swallows(self, scope: Item, check: Item) -> bool:
        body = scope.node.child_by_field_name("consequence") or scope.node.child_by_field_name("body")
        is_inside = body is not None and body.start_byte <= check.start < body.end_byte
        return is_inside and scope.kind in ("if", "loop") and NEVER.fullmatch(self.condition(scope)) is not None

    def ends_body(self, item: Item) -> bool:
        return item.kind == "return" or (
            item.kind == "call" and re.fullmatch(r"\w+\.Skip(?:f|Now)?", self.called(item)) is not None
        )

    # Rules that need more than a name.

    def own_hits(self) -> Iterator[Hit]:
        yield from self._directives()
        yield from self._exits()
        for item in self.outline.of("function"):
            yield from self._comparison(item)
            if item.field("name") == b"TestMain":
                yield from self._test_main(item)

    def _directives(self) -> Iterator[Hit]:
        for found in LINKNAME.finditer(self.source.text):
            yield self._at(found, "patch", "go:linkname reaches into another package", "block")
        has_tests = self.has_more or any(test.case.is_collected for test in self.tests)
        for found in BUILD_TAG.finditer(self.source.text) if has_tests else ():
            level: Level = "warn" if PLATFORM.fullmatch(found[1]) else "block"
            yield self._at(found, "skip", f"the tests of this file only run where {found[1].strip()} holds", level)

    def _at(self, found: "re.Match[str]", rule: str, text: str, level: Level) -> Hit:
        line = self.source.text.count("\n", 0, found.start()) + 1
        return Hit(rule, level, text, line, found[0].strip())

    def _exits(self) -> Iterator[Hit]:
        is_main = any(re.fullmatch(rb"package\s+main", item.text.strip()) for item in self.outline.of("package"))
        for item in self.outline.of("call"):
            name, code = self.called(item), item.field("arguments")[1:-1].strip()
            if name not in ("os.Exit", "syscall.Exit") or re.fullmatch(rb"-?[1-9]\d*", code):
                continue
            function = item.within("function")
            at_start = function is not None and function.field("name") == b"init"
            if at_start or (code == b"0" and not (is_main and not self.source.is_test)):
                # A test may start itself again as another process, which an environment variable shows.
                level: Level = (
                    "warn" if self.source.is_test and function and b"env" in function.text.lower() else "block"
                )
                yield self.hit("exit", level, f"{name} ends the process without its runner", item)
            elif not is_main and b"Run()" not in code and not self._keeps_result(code, function):
                yield self.hit("exit", "warn", f"{name} ends the process", item)

    @staticmethod
    def _keeps_result(code: bytes, function: Item | None) -> bool:
        return (
            function is not None
            and re.search(rb"\b%b\s*:?=\s*\w+\.Run\(\)" % re.escape(code), function.text) is not None
        )

    def _test_main(self, item: Item) -> Iterator[Hit]:
        found = re.match(rb"\(\s*(\w+)", item.field("parameters"))
        name = re.escape(found[1]) if found else b"m"
        if not re.search(rb"\b%b\.Run\(\)|[(,]\s*%b\s*[,)]" % (name, name), item.field("body")):
            yield self.hit("no-op", "block", "TestMain does not run the tests", item)

    def _comparison(self, item: Item) -> Iterator[Hit]:
        name = item.field("name").decode(errors="replace")
        found = re.fullmatch(rb"\{\s*return\s+(.+?)\s*\}", item.field("body"), re.DOTALL)
        if found and re.fullmatch(r"Equals?|Matches|Compare|Is", name) and is_constant(found[1]):
            level: Level = "block" if self.source.is_product and found[1] in (b"true", b"0") else "warn"
            yield self.hit("comparison", level, f"{name} always returns {found[1].decode()}", item)
