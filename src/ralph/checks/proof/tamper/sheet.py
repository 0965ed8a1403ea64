"""What a reader finds in one version of a file: its tests, and lines that count against a change that adds them."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from ralph.model.proof import Level

LITERAL = re.compile(rb"""(?<![\w}])(?:[rbu]?"(?:\\.|[^"\\\n])*"|[rbu]?'(?:\\.|[^'\\\n])*')""")
WORD = re.compile(rb"(?<![\w.$])[A-Za-z_$][\w$]*")
CONSTANT_WORDS = frozenset(
    b"True False None true false null nil undefined not and or is in to be expect assert bool int str lambda".split()
)


class Hit(NamedTuple):
    """One place that a rule names. It counts if the base's version has fewer of the same."""

    rule: str
    level: Level
    text: str
    line: int
    key: str
    """What makes two places the same, wherever they are."""
    scope: str = ""
    """The class or group of tests that it is about; empty for the whole file."""
    test: str = ""
    """The test that it is about, with its scope; empty if it is about none."""


class Check(NamedTuple):
    """One assertion in a test."""

    key: bytes
    """The tokens of the assertion, after those of the conditions around it."""
    line: int
    is_live: bool
    """Whether it could fail: it is not constant, not swallowed, and not after a return."""
    condition_line: int = 0
    """The line of the innermost condition around it; 0 if there is none."""

    @property
    def own_key(self) -> bytes:
        """The assertion's tokens alone."""
        return self.key.partition(b"\0")[0]


class Details(NamedTuple):
    """Details that are read only if a test differs."""

    checks: tuple[Check, ...]
    statements: tuple[bytes, ...]
    """The tokens of each statement in the body."""
    are_checks: tuple[bool, ...]
    """Which of these statements only check."""


class Case:
    """A test, a helper of tests that checks something, or a named list of commands."""

    def __init__(
        self,
        name: str,
        scope: str,
        line: int,
        body: bytes,
        *,
        tokens: Callable[[bytes], bytes],
        details: Callable[[], Details],
        marks: Sequence[bytes] = (),
        is_collected: bool = True,
        is_command: bool = False,
    ) -> None:
        self.name = name
        self.scope = scope
        self.line = line
        self.body = body
        self.marks = tuple(marks)
        """Decorators, attributes and parameters: they change how many times and with what it runs."""
        self.is_collected = is_collected
        """Whether a runner would find it here under this name."""
        self.is_command = is_command
        """Whether it is a list of commands, of which it matters only whether it still does something."""
        self._tokens = tokens
        self._details = details

    @property
    def full_name(self) -> str:
        return f"{self.scope}.{self.name}" if self.scope else self.name

    @cached_property
    def tokens(self) -> bytes:
        return self._tokens(self.body)

    @cached_property
    def details(self) -> Details:
        return self._details()

    @property
    def live_checks(self) -> list[Check]:
        return [check for check in self.details.checks if check.is_live]


class Sheet(Struct):
    """Everything that a reader finds in one version of a file."""

    hits: list[Hit] = []
    cases: list[Case] = []
    is_broken: bool = False
    """Whether the text is not valid in its language."""
    has_more: bool = False
    """Whether parts were not read because both versions have them."""
    activity: int = 0
    """How much a script does besides printing; 0 for one that does nothing."""


def is_constant(expression: bytes) -> bool:
    """Whether an expression names nothing that could change its value."""
    return all(word in CONSTANT_WORDS for word in WORD.findall(LITERAL.sub(b"", expression)))
