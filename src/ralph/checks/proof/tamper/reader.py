"""What the readers of the five languages with a grammar have in common."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ralph.checks.proof.tamper.parts import different
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.sheet import Case, Check, Details, Hit, Sheet, is_constant
from ralph.checks.proof.tamper.source import Source
from ralph.model.proof import Level
from ralph.syntax.outline import Item, Outline, Parsed

if TYPE_CHECKING:
    from tree_sitter import Node

BLANKS = re.compile(rb"\s+")
LONGEST_NAME = 120
PLAIN_NAME = re.compile(rb"[A-Za-z_$][\w$.:]{0,119}(?=!?\()")
LONGEST_KEY = 400
CONDITIONS = frozenset(("if", "loop", "try", "with", "except"))
"""What decides whether an assertion is reached, and what it leads to."""
BODIES = frozenset(("function", "lambda"))


class Test(NamedTuple):
    """A test in the outline."""

    whole: Item
    """The test with its decorators, or with the call that registers it."""
    body: Item
    """The function that runs."""
    case: Case


class Reader:
    """Reads one version of a file. A language defines what its query names, its rules, and its tests."""

    grammar: ClassVar[str]
    query: ClassVar[str]
    calls: ClassVar[Table]
    """The rules by what is called, with imports resolved."""
    words: ClassVar[Table]
    """The rules by the text outside of comments."""
    silent_calls: ClassVar["re.Pattern[str]"]
    """Calls that check nothing and do no work, such as printing."""
    tests_in_sources: ClassVar[bool] = False
    context: ClassVar["re.Pattern[bytes] | None"] = None
    """The top-level parts that must be read even if both versions have them: imports and helpers. Without it, each
    version is read completely."""

    def __init__(self, source: Source, parsed: Parsed | None = None, parts: "Sequence[Node] | None" = None) -> None:
        self.source = source
        self.outline = Outline(parsed or Parsed(self.grammar, source.content), self.query, parts)
        self.has_more = parts is not None
        self._called: dict[Item, str] = {}

    @classmethod
    def both(cls, base: Source, head: Source) -> tuple[Sheet, Sheet]:
        """Read two versions of a file without the top-level parts that are the same in both, which is most of it."""
        was, now = Parsed(cls.grammar, base.content), Parsed(cls.grammar, head.content)
        if cls.context is None:
            return cls(base, was).sheet(), cls(head, now).sheet()
        parts = different(was.parts(), now.parts(), cls.context)
        return cls(base, was, parts[0]).sheet(), cls(head, now, parts[1]).sheet()

    def sheet(self) -> Sheet:
        has_tests = not self.source.is_product or self.tests_in_sources
        return Sheet(
            hits=[*self.own_hits(), *self._calls(), *self._words()],
            cases=[test.case for test in self.tests] if has_tests else [],
            is_broken=self.outline.is_broken,
            activity=self._activity() if self.source.is_judge else 0,
            has_more=self.has_more,
        )

    # A language defines these.

    @staticmethod
    def tokens(code: bytes) -> bytes:
        raise NotImplementedError

    def found_tests(self) -> Iterable[Test]:
        """The tests, in the order of the text."""
        raise NotImplementedError

    def own_hits(self) -> Iterable[Hit]:
        """The hits that no table can describe."""
        raise NotImplementedError

    def is_check(self, item: Item) -> bool:
        raise NotImplementedError

    def swallows(self, scope: Item, check: Item) -> bool:
        """Whether a check in this scope cannot fail the test."""
        raise NotImplementedError

    def expectation(self, check: Item) -> bytes:
        """What a check expects, without its name."""
        raise NotImplementedError

    def resolved(self, name: str) -> str:
        """A name as its import defines it."""
        return name

    def is_import_time(self, item: Item) -> bool:
        return item.within("function", "lambda", "main") is None

    def ends_body(self, item: Item) -> bool:
        """Whether the rest of the same body is never reached."""
        return item.kind == "return"

    def only_checks(self, statement: "Node", check: Item) -> bool:
        """Whether a statement consists only of this check, perhaps awaited."""
        is_first = statement.start_byte <= check.start <= statement.start_byte + len(b"await ")
        return is_first and check.end >= statement.end_byte - 1

    def scope_of(self, item: Item) -> str:
        names = [each.field("name").decode(errors="replace") for each in item.above() if each.kind == "class"]
        return ".".join(reversed(names))

    # These are the same for all languages.

    @cached_property
    def tests(self) -> list[Test]:
        return list(self.found_tests())

    def _calls(self) -> Iterator[Hit]:
        for item in self.outline.of("call"):
            name = self.called(item)
            for rule in self.calls.named(name, self.source):
                if not rule.at_import or self.is_import_time(item):
                    yield self.hit_by(rule, item, name)

    def _words(self) -> Iterator[Hit]:
        text = self.source.text
        for rule, match in self.words.found(text, self.source):
            start = len(text[: match.start()].encode())
            if self.outline.is_code(start, start + 1):
                line = text.count("\n", 0, match.start()) + 1
                yield Hit(rule.rule, rule.level, rule.text.format(match[0].strip()), line, match[0])

    def called(self, item: Item) -> str:
        """The name that a call calls, without blanks."""
        if item not in self._called:
            self._called[item] = self.resolved(self._written(item).decode(errors="replace"))
        return self._called[item]

    def _written(self, item: Item) -> bytes:
        """The name before the brackets. Usually it is a plain name, unless the call begins with another:
        `a.b(c).d(e)`.
        """
        plain = PLAIN_NAME.match(self.source.content, item.start) if self._innermost[item.start] is item else None
        if plain:
            return plain[0]
        called = item.node.child_by_field_name("function") or item.node.child_by_field_name("macro")
        end = min(called.end_byte, item.start + 2 * LONGEST_NAME) if called else item.start
        return BLANKS.sub(b"", self.source.content[item.start : end])[:LONGEST_NAME]

    @cached_property
    def _innermost(self) -> dict[int, Item]:
        """The shortest of the calls that begin at the same place."""
        return {item.start: item for item in self.outline.of("call")}

    def hit_by(self, rule: Rule, item: Item, name: str) -> Hit:
        return self.hit(rule.rule, rule.level, rule.text.format(name), item)

    def hit(self, rule: str, level: Level, text: str, item: Item, *, key: str = "") -> Hit:
        key = key or BLANKS.sub(b"", item.text[:LONGEST_KEY]).decode(errors="replace")
        case = self.case_around(item)
        if case:
            return Hit(rule, level, text, item.line, key, case.scope, case.full_name)
        return Hit(rule, level, text, item.line, key, self.scope_of(item))

    def case_around(self, item: Item) -> Case | None:
        """The innermost test that contains this item, if there is one."""
        for test in reversed(self.tests[: bisect_left(self._test_starts, item.start + 1)]):
            if test.whole.end >= item.end and test.case.is_collected:
                return test.case
        return None

    @cached_property
    def _test_starts(self) -> list[int]:
        return [test.whole.start for test in self.tests]

    @cached_property
    def checks(self) -> list[Item]:
        """All checks of the file. For a chain such as `expect(x).not.toBe(1)` it is the whole chain."""
        found: list[Item] = []
        for item in self.outline.items:
            if self.is_check(item) and not (found and found[-1].start == item.start and found[-1].end >= item.end):
                found.append(item)
        return found

    def _activity(self) -> int:
        calls = [item for item in self.outline.of("call") if not self.silent_calls.fullmatch(self.called(item))]
        return len(calls) + len(self.outline.of_any(("raise", "assert")))

    def details(self, body: Item) -> Details:
        block = body.node.child_by_field_name("body") or body.node
        statements = [node for node in self.statements(block) if "comment" not in node.type]
        checks = [check for check in self.checks if body.start <= check.start and check.end <= body.end]
        over = self._unreached_after(body)
        return Details(
            tuple(self._check(check, body, is_reached=check.start < over) for check in checks),
            tuple(self.tokens(node.text or b"") for node in statements),
            tuple(any(self.only_checks(node, check) for check in checks) for node in statements),
        )

    def statements(self, block: "Node") -> "list[Node]":
        return block.named_children

    def _check(self, check: Item, body: Item, *, is_reached: bool) -> Check:
        scopes = [scope for scope in check.above() if body.start < scope.start]
        under = [scope for scope in scopes if scope.kind in CONDITIONS]
        conditions = [scope.kind.encode() + self.tokens(self.condition(scope)) for scope in under]
        is_live = (
            is_reached
            and not is_constant(self.expectation(check))
            and not any(self.swallows(scope, check) for scope in scopes)
        )
        key = b"\0".join([self.tokens(check.text), *conditions])
        return Check(key, check.line, is_live, under[0].line if under else 0)

    def condition(self, scope: Item) -> bytes:
        return scope.field("condition") or scope.field("right") or scope.field("value")

    def _unreached_after(self, body: Item) -> int:
        """Where the body is always left: at a return that only the body encloses."""
        for item in self.outline.items:
            if body.start < item.start and item.end <= body.end and self.ends_body(item):
                scope = next((each for each in item.above() if each.kind in CONDITIONS | BODIES), None)
                if scope is body:
                    return item.start
        return body.end
