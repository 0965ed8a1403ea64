"""Languages without a grammar here: tests and their assertions are recognised by the form of their lines."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from ralph.checks.proof.tamper.commands import overlong
from ralph.checks.proof.tamper.rules import Table
from ralph.checks.proof.tamper.sheet import Case, Check, Details, Hit, Sheet, is_constant
from ralph.checks.proof.tamper.source import Source


class Language(NamedTuple):
    rules: Table
    """The rules for each line without its comment."""
    test: "re.Pattern[str]"
    """The line that begins a test; the last group that matched is its name."""
    check: "re.Pattern[str]"
    """A line that asserts something; its last group is what it asserts."""
    tokens: Callable[[bytes], bytes]
    comment: "re.Pattern[str]"


class PatternReader:
    """Reads one version of a file. A test ends at the line that begins the next one."""

    language: Language

    def __init__(self, source: Source) -> None:
        self.source = source
        self._lines = [self.language.comment.sub("", line) for line in source.short_lines]

    def sheet(self) -> Sheet:
        cases = list(self._cases())
        return Sheet(hits=list(self._hits(cases)), cases=cases if self.source.is_test else [])

    def _hits(self, cases: list[Case]) -> Iterator[Hit]:
        if not self.source.is_product:
            yield from overlong(self.source)
        for number, line in enumerate(self._lines, 1):
            for rule, found in self.language.rules.found(line, self.source):
                text = rule.text.format(found[0].strip())
                yield Hit(
                    rule.rule, rule.level, text, number, found[0].strip(), test=self._test_at(cases, number, line)
                )

    def _test_at(self, cases: list[Case], number: int, line: str) -> str:
        """The name of the test at this line. A mark on the lines before a test belongs to it."""
        is_mark = re.match(r"\s*(?:@|\[|#\[)", line) is not None
        if is_mark:
            return next((case.full_name for case in cases if case.line >= number), "")
        return next((case.full_name for case in reversed(cases) if case.line <= number), "")

    def _cases(self) -> Iterator[Case]:
        begins = [
            (number, found) for number, line in enumerate(self._lines) if (found := self.language.test.search(line))
        ]
        ends = [*(number for number, _ in begins[1:]), len(self._lines)]
        for (number, found), end in zip(begins, ends, strict=False):
            body = self._lines[number + 1 : end]
            rest = self._lines[number][found.end() :]
            name = next(group for group in reversed(found.groups()) if group is not None)
            yield Case(
                name,
                "",
                number + 1,
                "\n".join((rest, *body)).encode(),
                tokens=self.language.tokens,
                details=partial(self._details, number + 1, (rest, *body)),
            )

    def _details(self, first: int, lines: tuple[str, ...]) -> Details:
        filled = [(number, line) for number, line in enumerate(lines, first) if re.search(r"\w", line)]
        found = [(number, line, check) for number, line in filled if (check := self.language.check.search(line))]
        checks = tuple(
            Check(self.language.tokens(line.encode()), number, not is_constant((check[check.lastindex or 0]).encode()))
            for number, line, check in found
        )
        statements = tuple(self.language.tokens(line.encode()) for _, line in filled)
        are_checks = tuple(self.language.check.match(line.strip()) is not None for _, line in filled)
        return Details(checks, statements, are_checks)
