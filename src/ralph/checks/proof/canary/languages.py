"""The languages whose tests ralph can make fail. A new one is one row here and one file beside this one."""

import re
from importlib import import_module
from typing import NamedTuple, cast

from ralph.checks.proof.canary.edits import Alter


class Language(NamedTuple):
    files: "re.Pattern[str]"
    runners: "re.Pattern[str]"
    """The programs that run its tests, as commands name them."""
    module: str
    """The file beside this one that has a function `altered`."""

    def altered(self) -> Alter:
        """The language's function. It is imported late, because most parsers are needed only here."""
        return cast("Alter", import_module(f"ralph.checks.proof.canary.{self.module}").altered)


START = (
    r"(?m)(?:^[\t @+]*|;\s*|&&\s*|\b(?:run|exec|npx|bunx|env|time)\s+|\s-m\s+)"
    r"(?:(?:-\S+|\w+=\S*)\s+)*(?:[\w./-]*/)?"
)
"""The beginning of a command: `pip install pytest` runs no tests."""
NOT_ONLY_ASKED = r"(?![^\n;&|]*\s--(version|help|co|collect-only|list)\b)"
BUILD = r"(mvnw?|gradlew?)\b[^\n;&|]*\b(test|verify|check|build|package|install)\b"
LANGUAGES = tuple(
    Language(re.compile(files), re.compile(START + rf"(?:{runners})" + NOT_ONLY_ASKED), module)
    for files, runners, module in (
        (r"\.py$", r"(pytest|py\.test|unittest|nose2)\b|manage\.py test\b|python\S* manage\.py test\b", "python"),
        (r"\.[cm]?[jt]sx?$", r"(jest|vitest|mocha)\b|node\s[^\n;&|]*--test\b", "javascript"),
        (r"_test\.go$", r"(go test|gotestsum)\b", "golang"),
        (r"\.rs$", r"cargo (test|nextest)\b", "rust"),
        (r"_spec\.rb$", r"rspec\b", "class_based"),
        (r"(_test\.rb|(^|/)test_\w+\.rb)$", r"(rake|rails) test\b|ruby -I", "class_based"),
        (r"Test\.php$", r"phpunit\b", "class_based"),
        (r"Tests?\.java$", BUILD, "class_based"),
    )
)


def language_of(path: str) -> Language | None:
    return next((each for each in LANGUAGES if each.files.search(path)), None)
