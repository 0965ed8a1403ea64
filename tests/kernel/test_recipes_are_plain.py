"""What has no place in a recipe, looked for in its source: a replay would not come to the same again."""

import ast
from pathlib import Path

import pytest

import ralph.kernel

KERNEL = Path(ralph.kernel.__file__).parent
FILES = sorted(KERNEL.rglob("*.py"))
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
IMPURE = {
    "asyncio",
    "os",
    "pathlib",
    "random",
    "secrets",
    "socket",
    "sqlite3",
    "subprocess",
    "tempfile",
    "time",
    "uuid",
}
"""Time, files and randomness come in as results only."""


def problems(source):
    tree = ast.parse(source)
    sets = _names_of_sets(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)) and _is_set(node.iter, sets):
            yield "iterates over a set"
        if isinstance(node, ast.Starred) and _is_set(node.value, sets):
            yield "iterates over a set"
        if isinstance(node, COMPREHENSIONS) and any(_yields(part) for part in ast.walk(node)):
            yield "yields in a comprehension"
        if isinstance(node, ast.Import):
            yield from (f"imports {each.name}" for each in node.names if each.name.partition(".")[0] in IMPURE)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in IMPURE:
            yield f"imports {node.module}"


def _names_of_sets(tree):
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _says_set(node.annotation):
            names.add(node.target.id)
        if isinstance(node, ast.arg) and node.annotation and _says_set(node.annotation):
            names.add(node.arg)
        if isinstance(node, ast.Assign) and _is_set(node.value, names):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _says_set(annotation):
    base = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return isinstance(base, ast.Name) and base.id in ("set", "frozenset")


def _is_set(node, names):
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if isinstance(node, ast.BinOp):
        return _is_set(node.left, names) or _is_set(node.right, names)
    if isinstance(node, ast.Name):
        return node.id in names
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    if called and node.func.id in ("list", "tuple", "enumerate", "iter", "reversed", "zip"):
        return any(_is_set(argument, names) for argument in node.args)
    return called and node.func.id in ("set", "frozenset")


def _yields(node):
    return isinstance(node, (ast.Yield, ast.YieldFrom))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(KERNEL)))
def test_a_recipe_is_deterministic(file):
    assert list(problems(file.read_text())) == []


def test_every_recipe_is_looked_at():
    assert {file.stem for file in FILES} >= {"prompt", "stage", "task", "spec", "supervise", "budget", "quota"}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("for name in {'a', 'b'}: pass", "iterates over a set"),
        ("names = set()\nfor name in names: pass", "iterates over a set"),
        ("names: set[str] = f()\nx = [name for name in names]", "iterates over a set"),
        ("def f(names: frozenset[str]):\n    for name in names: pass", "iterates over a set"),
        ("names = {1} | other\nx = (*names,)", "iterates over a set"),
        ("for name in list(set(names)): pass", "iterates over a set"),
        ("for n, name in enumerate({n for n in names}): pass", "iterates over a set"),
        ("def f():\n    return list((yield each) for each in names)", "yields in a comprehension"),
        ("def f():\n    return [(yield each) for each in names]", "yields in a comprehension"),
        ("import time", "imports time"),
        ("from os import path", "imports os"),
        ("import concurrent, random", "imports random"),
    ],
)
def test_what_is_looked_for_is_found(source, problem):
    assert problem in list(problems(source))


def test_a_set_that_is_only_asked_is_no_problem():
    assert (
        list(problems("taken: set[str] = set()\nif 'a' in taken: taken.add('b')\nfor x in sorted(taken): pass")) == []
    )
