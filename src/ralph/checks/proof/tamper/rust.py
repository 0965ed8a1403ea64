"""Rust: its tests and its rules."""

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
(function_item) @function
(mod_item) @class
(impl_item) @impl
(attribute_item) @attribute
(inner_attribute_item) @inner
(closure_expression) @lambda
(if_expression) @if
(match_expression) @if
(for_expression) @loop
(while_expression) @loop
(loop_expression) @loop
(macro_invocation) @call
(call_expression) @call
(return_expression) @return
(macro_definition) @macro
(use_declaration) @import
"""
CALLS = Table(
    (
        Rule(
            "patch",
            "warn",
            r"(?:std::)?panic::(?:set_hook|catch_unwind|take_hook)",
            "{} changes what a panic does",
            "product",
        ),
        Rule("exit", "block", r"libc::_?exit|nix::unistd::_exit", "{} ends the process without its runner"),
    )
)
WORDS = Table(
    (
        Rule(
            "runner",
            "warn",
            r"\bcfg!\s*\(\s*(?:not\s*\(\s*)?test\b",
            "the code asks whether it is under test: {}",
            "product",
        ),
        Rule(
            "runner",
            "warn",
            r"#\[cfg\(\s*not\s*\(\s*test\s*\)\s*\)\]",
            "the code is different under test: {}",
            "product",
        ),
        Rule(
            "runner",
            "block",
            r"\b(?:RUST_TEST_\w+|NEXTEST(?:_\w+)?|junitxml)\b",
            "the code names {}, which belongs to the test runner",
            "product",
        ),
    )
)
EXIT = re.compile(r"(?:std::)?process::exit")
TEST_ATTRIBUTE = re.compile(
    rb"#\[\s*(?:[\w:]+::)?(?:test|rstest|test_case|proptest|quickcheck|wasm_bindgen_test|bench)\b"
)
SKIP_ATTRIBUTE = re.compile(
    rb"#!?\[\s*(?:ignore\b|cfg\s*\(\s*(?!test\s*\)|all\(\s*test\b)|cfg_attr\s*\([^\]]*\bignore\b)"
)
CHECK = re.compile(
    r"(?:\w+::)*(?:(?:debug_|prop_)?assert\w*|panic|unreachable|fail)|(?:check|verify|ensure|must|expect)_\w+"
)
REDEFINED = re.compile(rb"(?:debug_)?assert(?:_eq|_ne)?|panic|unreachable|matches")
PROGRAM = re.compile(r"(?:^|/)(?:main\.rs$|bin/|examples/|build\.rs$)")
NEVER = re.compile(rb"false|!true")


class RustReader(Reader):
    grammar = "rust"
    query = QUERY
    calls = CALLS
    words = WORDS
    silent_calls = re.compile(r"e?println|e?print|format|vec|String::from|.*\.to_string")
    tokens = staticmethod(slash_tokens)
    tests_in_sources = True

    def found_tests(self) -> Iterator[Test]:
        for item in self.outline.of("function"):
            attributes = self._attributes(item)
            is_test = self._is_test(item)
            if is_test or self._is_among_tests(item):
                case = Case(
                    item.field("name").decode(errors="replace"),
                    self.scope_of(item),
                    item.line,
                    item.field("body"),
                    tokens=self.tokens,
                    details=partial(self.details, item),
                    marks=[self.tokens(each.text) for each in attributes],
                    is_collected=is_test,
                )
                yield Test(attributes[0] if attributes else item, item, case)

    def _is_test(self, item: Item) -> bool:
        return any(TEST_ATTRIBUTE.match(each.text) for each in self._attributes(item))

    def _is_among_tests(self, item: Item) -> bool:
        group = item.within("class")
        return self.source.is_test or (group is not None and group.field("name").startswith(b"test"))

    def _attributes(self, item: Item) -> list[Item]:
        """The attributes directly before the item."""
        return self._before.get(item.start, [])

    @cached_property
    def _before(self) -> dict[int, list[Item]]:
        """The attributes before each item, by where the item begins."""
        found: dict[int, list[Item]] = {}
        waiting: list[Item] = []
        for item in self.outline.items:
            if item.kind == "attribute":
                waiting.append(item)
            elif waiting and item.start >= waiting[-1].end:
                found[item.start] = waiting
                waiting = []
        return found

    def case_around(self, item: Item) -> Case | None:
        """The test around an item. Attributes of a test are a part of it, although they come before it."""
        for test in self.tests:
            if test.case.is_collected and test.whole.start <= item.start and item.end <= test.body.end:
                return test.case
        return None

    # Assertions.

    def is_check(self, item: Item) -> bool:
        if item.kind != "call":
            return False
        name = self.called(item)
        return CHECK.fullmatch(name) is not None or name.encode() in self.checking_functions

    @cached_property
    def checking_functions(self) -> set[bytes]:
        """The helpers among the tests of this file that assert something."""
        found: set[bytes] = set()
        for item in self.outline.of("call"):
            function = item.within("function") if self._is_among_tests(item) else None
            if function and re.fullmatch(r"assert\w*", self.called(item)) and not self._is_test(function):
                found.add(function.field("name"))
        return found

    def expectation(self, check: Item) -> bytes:
        if re.fullmatch(r"panic|unreachable|fail", self.called(check)) or check.node.type != "macro_invocation":
            return b"reached"
        return check.text.partition(b"!")[2]

    def only_checks(self, statement: "Node", check: Item) -> bool:
        return statement.start_byte == check.start and check.end >= statement.end_byte - 1

    def swallows(self, scope: Item, check: Item) -> bool:  # noqa: ARG002 - whatever stands in such a scope
        if scope.kind == "lambda" and scope.up and scope.up.kind == "call":
            return self.called(scope.up).endswith("catch_unwind")
        return scope.kind in ("if", "loop") and NEVER.fullmatch(scope.field("condition")) is not None

    # Rules that need more than a name.

    def own_hits(self) -> Iterator[Hit]:
        yield from self._ignored()
        yield from self._exits()
        yield from self._comparisons()
        for item in self.outline.of("macro"):
            if REDEFINED.fullmatch(name := item.field("name")):
                yield self.hit("patch", "block", f"the macro {name.decode()} is redefined", item)

    def _ignored(self) -> Iterator[Hit]:
        """The hits for ignored tests and modules of tests."""
        for item in self.outline.of_any(("attribute", "inner")):
            if not SKIP_ATTRIBUTE.match(item.text) or (item.kind == "inner" and not self.source.is_test):
                continue
            case = self.case_around(item)
            group = self._module_after(item)
            if case or item.kind == "inner" or (group and b"test" in group.field("name")):
                text = f"{item.text.decode(errors='replace').partition('(')[0].strip('#![] ')} skips"
                hit = self.hit("skip", "block", text, item)
                yield hit._replace(scope=group.field("name").decode(errors="replace")) if group and not case else hit

    def _module_after(self, attribute: Item) -> Item | None:
        return next((item for item in self.outline.of("class") if attribute in self._attributes(item)), None)

    def _exits(self) -> Iterator[Hit]:
        if PROGRAM.search(self.source.path) and not self.source.is_judge:
            return
        for item in self.outline.of("call"):
            name = self.called(item)
            if EXIT.fullmatch(name) or (name == "exit" and self._imports_exit):
                code = item.field("arguments")[1:-1].strip()
                level: Level = "block" if code == b"0" else "warn"
                if not re.fullmatch(rb"-?[1-9]\d*", code):
                    yield self.hit("exit", level, f"{name} ends the process without its runner", item)

    @cached_property
    def _imports_exit(self) -> bool:
        return any(re.search(rb"process::(?:\{[^}]*\b)?exit\b", item.text) for item in self.outline.of("import"))

    def _comparisons(self) -> Iterator[Hit]:
        for item in self.outline.of("function"):
            group = item.within("impl")
            name = item.field("name").decode(errors="replace")
            found = re.fullmatch(rb"\{\s*(?:return\s+)?(.+?);?\s*\}", item.field("body"), re.DOTALL)
            is_compared = group is not None and re.match(rb"Partial(?:Eq|Ord)|Eq|Ord", group.field("trait"))
            if is_compared and found and name in ("eq", "ne", "cmp", "partial_cmp") and is_constant(_plain(found[1])):
                is_equal = found[1] == (b"false" if name == "ne" else b"true")
                level: Level = "block" if is_equal and not self.source.is_test else "warn"
                yield self.hit("comparison", level, f"{name} always returns {found[1].decode(errors='replace')}", item)


def _plain(value: bytes) -> bytes:
    """The value inside `Some(Ordering::Equal)`, which is a constant as well."""
    return re.sub(rb"\b(?:Some|std::cmp::|Ordering::)?(?:Equal|Less|Greater)\b|\bSome\b", b"", value)
