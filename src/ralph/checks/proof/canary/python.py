"""Tests in Python that must fail, for pytest and unittest.

A test gets another expected value under its own name, and a copy under a name that nobody could know. Each file gets
one more test that fails without calling any code of the project.
"""

import ast
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

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
    line_begin,
    newline,
    other_number,
)
from ralph.checks.proof.canary.python_tests import OWN_SUITE, PythonTest, is_test_case, python_tests, takes_cases
from ralph.checks.proof.python_source import FUNCTIONS, PythonSource, dotted, python_source

MOST_CASES = 100
COPIES = 20
"""How many copies a file gets at most, because copies double its time."""
UNRELATED_MARKS = {"parametrize", "usefixtures", "asyncio", "anyio", "trio", "filterwarnings"}
NOTHING_EQUALS = b"object()"


class Writer(Struct, frozen=True):
    """Writes the changes of one file."""

    source: PythonSource
    word: str
    newline: bytes

    def in_place(self, test: PythonTest, expected: ast.expr) -> Change:
        other = other_value(expected, self.word)
        return Change(Edit(self.source.begin(expected), self.source.end(expected), other), test.id)

    def at_the_begin(self, test: PythonTest) -> Change:
        """A first statement that fails, for a test without a plain comparison."""
        begin = line_begin(self.source.text, _first_position(self.source, _first_statement(test)))
        indent = indentation(self.source.text, self.source.begin(_first_statement(test)))
        return Change(Edit(begin, begin, indent + self._failure(test) + self.newline), test.id)

    def copy(self, test: PythonTest, expected: ast.expr) -> Change:
        text, node = self.source.text, test.node
        begin, end = line_begin(text, _first_position(self.source, node)), after_line(text, self.source.end(node))
        name = _name_position(text, self.source.begin(node), node.name)
        edits = [
            Edit(name, name + len(node.name.encode()), self._new_name(test, "")),
            Edit(self.source.begin(expected), self.source.end(expected), NOTHING_EQUALS),
        ]
        moved = [Edit(each.start - begin, each.end - begin, each.text) for each in edits]
        return self._after(test, edited(text[begin:end].rstrip(b"\r\n"), moved), self._new_name(test, ""))

    def added(self, test: PythonTest) -> Change:
        """A test with the same class, marks and beginning of the name as this one, which calls nothing."""
        indent, name = indentation(self.source.text, self.source.begin(test.node)), self._new_name(test, "x")
        argument = b"self" if test.classes else b""
        answer = b" -> None" if test.node.returns else b""
        lines = [
            *(indent + b"@" + mark for mark in self._marks(test)),
            indent + b"def " + name + b"(" + argument + b")" + answer + b":",
            indent + self._inner_indent(test) + self._failure(test),
        ]
        return self._after(test, self.newline.join(lines), name)

    def _after(self, test: PythonTest, function: bytes, name: bytes) -> Change:
        """The function, inserted after its original: in the same class, and before code that runs the file as a
        program.
        """
        text = self.source.text
        position = after_line(text, self.source.end(test.node))
        end_of_line = b"" if text[:position].endswith(b"\n") else self.newline
        blank_lines = self.newline * (1 if test.classes else 2)
        edit = Edit(position, position, end_of_line + blank_lines + function + self.newline)
        return Change(edit, "::".join((*(each.name for each in test.classes), name.decode())))

    def _new_name(self, test: PythonTest, kind: str) -> bytes:
        return f"{test.node.name}_{kind}{self.word}".encode()

    def _failure(self, test: PythonTest) -> bytes:
        """The failing statement. With `python -O` only the methods of unittest still check anything."""
        if is_test_case(test.classes, self.source.module):
            return f'self.assertEqual(len("{self.word}"), 0)'.encode()
        return f'assert len("{self.word}") == 0'.encode()

    def _inner_indent(self, test: PythonTest) -> bytes:
        outer = indentation(self.source.text, self.source.begin(test.node))
        inner = indentation(self.source.text, self.source.begin(test.node.body[0]))
        return inner.removeprefix(outer) or b"    "

    def _marks(self, test: PythonTest) -> list[bytes]:
        """The marks by which a command may select its tests."""
        marks: list[bytes] = []
        for each in test.node.decorator_list:
            parent, _, mark = dotted(each.func if isinstance(each, ast.Call) else each).rpartition(".")
            if parent == "pytest.mark" and mark not in UNRELATED_MARKS:
                marks.append(self.source.segment(each).encode())
        return marks


def altered(suite: Suite) -> Altered | None:
    """The file with tests that must fail; None if none of its tests may be changed."""
    source = python_source(suite.content)
    if source is None:
        return None
    cases = None if suite.reported.names is None else Counter(map(_plain_name, suite.reported.names))
    tests = python_tests(source, cases, awaits=suite.awaits)
    changes = _changes(Writer(source, suite.word, newline(source.text)), _affordable(suite, tests, cases or Counter()))
    content = source.encoded(edited(source.text, (each.edit for each in changes)))
    return altered_by(suite, content, changes)


def _plain_name(name: str) -> str:
    """The name without parameters and classes."""
    return name.partition("[")[0].rpartition("::")[2]


def _affordable(suite: Suite, tests: Sequence[PythonTest], cases: Mapping[str, int]) -> list[PythonTest]:
    """The tests that failed at the base, and others with few cases, because reporting a failure takes long."""
    red = set(map(_plain_name, suite.red))
    by_need = sorted(tests, key=lambda each: (each.node.name not in red, cases.get(each.node.name, 1)))
    totals = accumulate(cases.get(each.node.name, 1) for each in by_need)
    return [each for each, total in zip(by_need, totals, strict=True) if total <= MOST_CASES] or by_need[:1]


def other_value(expected: ast.expr, word: str) -> bytes:
    """Another constant, of the same type if it is a number, a text or a truth value."""
    match _literal(expected):
        case bool() as value:
            return str(not value).encode()
        case int() | float() as value if math.isfinite(value):
            return repr(other_number(value, word)).encode()
        case bytes():
            return f'b"{word}"'.encode()
        case _:
            return f'"{word}"'.encode()


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case _:
            return None


def _changes(writer: Writer, tests: Sequence[PythonTest]) -> list[Change]:
    compared = [(test, test.expected) for test in tests if test.expected is not None]
    changes = [writer.in_place(test, expected) for test, expected in compared]
    if not changes:
        on_own_lines = [test for test in tests if _has_own_lines(writer.source, test)]
        changes = [writer.at_the_begin(test) for test in on_own_lines[:1]]
    if OWN_SUITE.search(writer.source.text):
        return changes  # Such a file names the tests that are run.
    changes += [writer.copy(test, expected) for test, expected in compared[:COPIES]]
    plain = [test for test in tests if not takes_cases(test, writer.source)]
    return changes + [writer.added(test) for test in _one_of_each_kind(plain, writer.source.module)]


def _one_of_each_kind(tests: Sequence[PythonTest], module: ast.Module) -> list[PythonTest]:
    """One test of each kind: the runner may take only methods, like unittest, or only functions."""
    first = {(bool(each.classes), is_test_case(each.classes, module)): each for each in reversed(tests)}
    return list(first.values())


def _first_statement(test: PythonTest) -> ast.stmt:
    """The first statement after the docstring, or the docstring if there is nothing else."""
    body = test.node.body
    return body[1] if len(body) > 1 and ast.get_docstring(test.node, clean=False) is not None else body[0]


def _has_own_lines(source: PythonSource, test: PythonTest) -> bool:
    first = _first_statement(test)
    position = source.begin(first)
    return not source.text[line_begin(source.text, position) : position].strip()


def _first_position(source: PythonSource, node: ast.stmt) -> int:
    """The position of a statement. A function begins at its first decorator."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.decorator_list:
        return source.begin(node.decorator_list[0])
    return source.begin(node)


def _name_position(text: bytes, begin: int, name: str) -> int:
    found = re.compile(rb"def\s+(" + re.escape(name.encode()) + rb")\b").search(text, begin)
    return found.start(1) if found else begin
