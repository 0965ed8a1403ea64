"""Tests in JavaScript and TypeScript that must fail, for node:test, jest, vitest, mocha and what looks like them.

An added test calls the same function as the test beside it, so that imports and globals are as the file has them.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.checks.proof.canary.edits import (
    Altered,
    Change,
    Edit,
    Suite,
    after_line,
    altered_by,
    edited,
    indentation,
    newline,
    other_number,
)
from ralph.checks.proof.canary.javascript_tests import ScriptTest, script_tests
from ralph.checks.proof.canary.syntax import parsed, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

LANGUAGES = {
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "tsx",
}
COPIES = 20
"""How many copies a file gets at most, because copies double its time."""
NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")


class Writer(Struct, frozen=True):
    """Writes the changes of one file."""

    content: bytes
    word: str
    typed: bool
    """Whether it is TypeScript, where a value of another type needs a cast to compile."""
    newline: bytes

    def in_place(self, test: ScriptTest, expected: "Node") -> Change:
        return Change(Edit(expected.start_byte, expected.end_byte, self._other(expected)), self._id(test, test.name))

    def at_the_begin(self, test: ScriptTest) -> Change:
        """A first statement that fails, for a test without a plain assertion."""
        begin = test.body.start_byte + 1
        text = f" if ([].length === 0) {{ throw new Error({self._quoted(test)}); }}".encode()
        return Change(Edit(begin, begin, text), self._id(test, test.name))

    def copy(self, test: ScriptTest, expected: "Node") -> Change:
        begin, name = test.statement.start_byte, f"{test.name} {self.word}"
        edits = [
            Edit(test.title.start_byte + 1, test.title.end_byte - 1, name.encode()),
            Edit(expected.start_byte, expected.end_byte, self._cast("Symbol()")),
        ]
        moved = [Edit(each.start - begin, each.end - begin, each.text) for each in edits]
        return self._after(test, edited(self.content[begin : test.statement.end_byte], moved), name)

    def added(self, test: ScriptTest) -> Change:
        """A test that calls no code of the project."""
        name, quote = f"{test.name} x{self.word}", text_of(test.title)[0]
        end = b";" if text_of(test.statement).endswith(";") else b""
        lines = [
            f"{test.callee}({quote}{name}{quote}, () => {{".encode(),
            b"  throw new Error(" + self._quoted(test).encode() + b")" + end,
            b"})" + end,
        ]
        indent = indentation(self.content, test.statement.start_byte)
        return self._after(test, (self.newline + indent).join(lines), name)

    def _after(self, test: ScriptTest, statement: bytes, name: str) -> Change:
        end = test.statement.end_byte
        position = after_line(self.content, end)
        indent = indentation(self.content, test.statement.start_byte)
        if self.content[end:position].strip():  # something follows on the same line
            edit = Edit(end, end, b"; " + statement + b";")
        else:
            first = b"" if self.content[:position].endswith(b"\n") else self.newline
            edit = Edit(position, position, first + self.newline + indent + statement + self.newline)
        return Change(edit, self._id(test, name))

    def _id(self, test: ScriptTest, name: str) -> str:
        return "::".join((*test.groups, name))

    def _quoted(self, test: ScriptTest) -> str:
        quote = text_of(test.title)[0]
        return f"{quote}{self.word}{quote}"

    def _cast(self, expression: str) -> bytes:
        return f"({expression} as any)".encode() if self.typed else expression.encode()

    def _other(self, expected: "Node") -> bytes:
        """Another constant, of the same type if it is a number or a text."""
        text = text_of(expected)
        if expected.type == "string":
            return f"{text[0]}{self.word}{text[0]}".encode()
        if NUMBER.fullmatch(text):
            return repr(other_number(float(text) if "." in text else int(text), self.word)).encode()
        if text in {"true", "false"}:
            return self._cast("false" if text == "true" else "true")
        return self._cast(f'"{self.word}"')


def altered(suite: Suite) -> Altered | None:
    """The file with tests that must fail; None if none of its tests may be changed."""
    language = LANGUAGES[PurePosixPath(suite.path).suffix]
    root = parsed(language, suite.content)
    if root is None:
        return None
    tests = [each for each in script_tests(root) if suite.is_run(each.name)]
    typed = language != "javascript"
    changes = _changes(Writer(suite.content, suite.word, typed, newline(suite.content)), tests)
    content = edited(suite.content, (each.edit for each in changes))
    return altered_by(suite, content if parsed(language, content) else None, changes)


def _changes(writer: Writer, tests: Sequence[ScriptTest]) -> list[Change]:
    compared = [(test, test.expected) for test in tests if test.expected is not None]
    changes = [writer.in_place(test, expected) for test, expected in compared]
    if not changes:
        blocks = [test for test in tests if test.body.type == "statement_block"]
        changes = [writer.at_the_begin(test) for test in blocks[:1]]
    changes += [writer.copy(test, expected) for test, expected in compared[:COPIES]]
    return changes + [writer.added(test) for test in tests[:1]]
