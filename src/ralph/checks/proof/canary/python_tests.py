"""Which functions of a Python file are tests that may be changed, and where they state what they expect."""

import ast
import re
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from ralph.checks.proof.python_source import (
    FUNCTIONS,
    Function,
    PythonSource,
    dotted,
    is_main_guard,
    own_nodes,
)

LEFT_ALONE = re.compile(
    r"skip|xfail|snapshot|(^|\.)(expectedFailure|given|fixture|staticmethod|classmethod)$", re.IGNORECASE
)
"""Names in a decorator of a test that may not run, may fail, or is not a single comparison."""
AWAITED = re.compile(r"asyncio|anyio|trio")
MATCHER = re.compile(r"Is[A-Z]|Any([A-Z]|$)|ANY$")
SKIPS = {"pytest.skip", "pytest.xfail", "pytest.importorskip", "self.skipTest", "unittest.SkipTest", "SkipTest"}
EXITS = {"sys.exit", "exit", "quit", "os._exit", "pytest.exit", "pytest.main", "unittest.main"}
OWN_SUITE = re.compile(rb"\bload_tests\b|\bTestSuite\(|\baddTests?\(")


class PythonTest(NamedTuple):
    node: Function
    classes: tuple[ast.ClassDef, ...]
    expected: ast.expr | None
    """The expected value of the test's first plain comparison that is always reached, if there is one."""

    @property
    def id(self) -> str:
        return "::".join((*(each.name for each in self.classes), self.node.name))


def python_tests(source: PythonSource, names: Container[str] | None, *, awaits: bool) -> list[PythonTest]:
    """The tests that may be changed, in order.

    `names` are those that a runner reported, if one does; `awaits` says that coroutines run without a mark.
    """
    if _acts_at_import(source.module) or _is_marked(source.module.body, source):
        return []
    return [
        PythonTest(node, classes, _expected(node))
        for node, classes in _functions(source, source.module.body, ())
        if (node.name.startswith("test") if names is None else node.name in names)
        and _may_change(node, classes, source, awaits=awaits)
    ]


def takes_cases(test: PythonTest, source: PythonSource) -> bool:
    """Whether a test beside this one would get parameters from a mark of its class or of the file."""
    marks = [source.segment(mark) for each in test.classes for mark in each.decorator_list]
    bodies = (source.module.body, *(each.body for each in test.classes))
    assigned = (
        each for body in bodies for each in body if isinstance(each, ast.Assign) and "pytestmark" in _bound(each)
    )
    return any("parametrize" in each for each in (*marks, *map(source.segment, assigned)))


def is_test_case(classes: Sequence[ast.ClassDef], module: ast.Module) -> bool:
    """Whether the innermost class is a unittest.TestCase, as far as this file shows."""
    local = {each.name: each for each in module.body if isinstance(each, ast.ClassDef)}
    todo, known = list(classes[-1:]), set[str]()
    while todo:
        for base in map(dotted, todo.pop().bases):
            if base.endswith("TestCase"):
                return True
            if base in local and base not in known:
                known.add(base)
                todo.append(local[base])
    return False


def _functions(
    source: PythonSource, body: Sequence[ast.stmt], classes: tuple[ast.ClassDef, ...]
) -> Iterator[tuple[Function, tuple[ast.ClassDef, ...]]]:
    """The functions with their classes. A name that is bound again later belongs to its last definition."""
    last = {name: node for node in body for name in _bound(node)}
    for node in body:
        if isinstance(node, FUNCTIONS) and last[node.name] is node:
            yield node, classes
        elif isinstance(node, ast.ClassDef) and last[node.name] is node and not _is_left(node, source):
            yield from _functions(source, node.body, (*classes, node))


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    for each in own_nodes(node):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            yield each.id


def _is_left(node: Function | ast.ClassDef, source: PythonSource) -> bool:
    decorated = any(
        LEFT_ALONE.search(dotted(each)) for decorator in node.decorator_list for each in ast.walk(decorator)
    )
    return decorated or (isinstance(node, ast.ClassDef) and _is_marked(node.body, source))


def _is_marked(body: Sequence[ast.stmt], source: PythonSource) -> bool:
    """Whether the body has `pytestmark = pytest.mark.skipif(...)` or `__test__ = False`."""
    assigned = [(source.segment(each), name) for each in body if isinstance(each, ast.Assign) for name in _bound(each)]
    return any(
        name == "__test__" or (name == "pytestmark" and LEFT_ALONE.search(text) is not None) for text, name in assigned
    )


def _may_change(node: Function, classes: Sequence[ast.ClassDef], source: PythonSource, *, awaits: bool) -> bool:
    if _is_left(node, source) or any(
        "snapshot" in each.arg.lower() for each in ast.walk(node.args) if isinstance(each, ast.arg)
    ):
        return False
    inside = list(own_nodes(*node.body))
    if any(isinstance(each, ast.Yield | ast.YieldFrom) or _speaks_of_skips(each) for each in inside):
        return False
    return isinstance(node, ast.FunctionDef) or awaits or _is_awaited(node, classes, source)


def _speaks_of_skips(node: ast.AST) -> bool:
    named = dotted(node)
    return named in SKIPS or "snapshot" in named.lower() or named.endswith(".applymarker")


def _is_awaited(node: Function, classes: Sequence[ast.ClassDef], source: PythonSource) -> bool:
    """Whether a coroutine is awaited. One that nobody awaits passes whatever it contains."""
    if any("Async" in dotted(base) for each in classes for base in each.bases):
        return True
    marks = [each for owner in (node, *classes) for each in owner.decorator_list]
    marked = [each for each in source.module.body if isinstance(each, ast.Assign) and "pytestmark" in _bound(each)]
    return any(AWAITED.search(source.segment(each)) for each in (*marks, *marked))


def _expected(node: Function) -> ast.expr | None:
    """The expected value of a comparison that is a statement of the test itself, if nothing can return before it."""
    for statement in node.body:
        if found := _compared(statement):
            return found
        if any(isinstance(each, ast.Return) for each in own_nodes(statement)):
            return None
    return None


def _compared(statement: ast.stmt) -> ast.expr | None:
    match statement:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            return _expectation(left, right)
        case ast.Expr(value=ast.Call(func=func, args=[left, right, *_])) if dotted(func) == "self.assertEqual":
            return _expectation(left, right)
        case _:
            return None


def _expectation(left: ast.expr, right: ast.expr) -> ast.expr | None:
    """The side with the expected value: the right one, unless only the left one is a constant."""
    if any(isinstance(side, ast.Starred) or _is_matcher(side) for side in (left, right)):
        return None
    if isinstance(right, ast.Constant):
        return None if _is_made(left) else right
    return left if isinstance(left, ast.Constant) and not _is_made(right) else right


def _is_matcher(side: ast.expr) -> bool:
    """Whether it is `ANY` or an object for comparisons such as `IsPositive`, which may equal another value as well."""
    return any(MATCHER.match(dotted(each).rpartition(".")[2]) for each in own_nodes(side))


def _is_made(side: ast.expr) -> bool:
    """Whether it is an instance of a class, which may define its own equality."""
    return isinstance(side, ast.Call) and dotted(side.func).rpartition(".")[2][:1].isupper()


def _acts_at_import(module: ast.Module) -> bool:
    """Whether the module is itself a program: it calls its own functions or ends while it is imported."""
    own = {each.name for each in module.body if isinstance(each, FUNCTIONS)}
    statements = [each for each in module.body if not is_main_guard(each)]
    calls = (each.value for each in own_nodes(*statements) if isinstance(each, ast.Expr))
    return any(isinstance(each, ast.Call) and dotted(each.func) in own | EXITS for each in calls)
