"""Tables of rules: names that a program calls or sets, and words in its text."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ralph.checks.proof.tamper.source import Source
from ralph.model.proof import Level

Where = Literal["anywhere", "product", "tests", "not-product"]
"""The files to which a rule applies. `tests`: test files; `not-product`: test and judge files."""


NOTHING = r"(?!)"
"""A pattern that matches nowhere."""


class Rule(NamedTuple):
    """One row of a table."""

    rule: str
    level: Level
    pattern: str
    """A regular expression; names must match completely, words anywhere in the code."""
    text: str
    """The text of the finding; `{}` stands for what was found."""
    where: Where = "anywhere"
    at_import: bool = False
    """Whether the rule applies only to what happens when the file is loaded."""

    def applies_to(self, source: Source) -> bool:
        match self.where:
            case "product":
                return source.is_product
            case "tests":
                return source.is_test
            case "not-product":
                return not source.is_product
            case "anywhere":
                return True


class Table:
    """Rules that are tried together: a text that no row matches costs one search."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = [(rule, re.compile(rule.pattern)) for rule in rules]
        self._applying: dict[tuple[bool, bool], Applying] = {}

    def named(self, name: str, source: Source) -> Iterator[Rule]:
        """The rows that match this name."""
        rows, any_of_them = self._for(source)
        if any_of_them.fullmatch(name):
            for rule, pattern in rows:
                if pattern.fullmatch(name):
                    yield rule

    def found(self, text: str, source: Source) -> "Iterator[tuple[Rule, re.Match[str]]]":
        """The rows whose words are in this text, once for each occurrence."""
        rows, any_of_them = self._for(source)
        if any_of_them.search(text):
            for rule, pattern in rows:
                for match in pattern.finditer(text):
                    yield rule, match

    def _for(self, source: Source) -> "Applying":
        """The rows that apply to a file of this kind, and one pattern for all of them."""
        kind = (source.is_product, source.is_test)
        if kind not in self._applying:
            rows = [(rule, pattern) for rule, pattern in self._rules if rule.applies_to(source)]
            together = "|".join(f"(?:{rule.pattern})" for rule, _ in rows) or NOTHING
            self._applying[kind] = Applying(rows, re.compile(together))
        return self._applying[kind]


class Applying(NamedTuple):
    rows: "list[tuple[Rule, re.Pattern[str]]]"
    together: "re.Pattern[str]"
