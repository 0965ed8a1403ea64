"""The examples in the docstrings of a Python source are judges: doctest runs them, and compares their output with the
text below them.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from doctest import DocTestParser
from typing import NamedTuple

from ralph.checks.proof.python_source import PythonSource, python_source

MARK = ">>> "
Owner = tuple[str, int]
"""A function or a class with its outer names, an empty name for the file itself, and how many of that name are
above."""
Examples = tuple[tuple[str, str], ...]
"""What is run, and what it must print."""


class Docstring(NamedTuple):
    begin: int
    end: int
    examples: Examples


def judging_part(text: str) -> str:
    """The examples; empty if there are none, or if the source is not valid in the Python that ralph runs on."""
    source = _source(text)
    found = _docstrings(source) if source else {}
    return "\n".join(f"{owner}: {each.examples}" for owner, each in found.items() if each.examples)


def merged(base_text: str, head_text: str) -> str:
    """The change's source, with the base's docstrings where their examples differ."""
    base, head = _source(base_text), _source(head_text, at_once=True)
    if base is None or head is None:
        return head_text
    known, text = _docstrings(base), head.text
    for owner, now in reversed(_docstrings(head).items()):
        was = known.get(owner)
        if was and was.examples and was.examples != now.examples:
            text = text[: now.begin] + base.text[was.begin : was.end] + text[now.end :]
    return text.decode()


def _source(text: str, *, at_once: bool = False) -> PythonSource | None:
    """The source; None if the text obviously has no example, unless `at_once` is set."""
    source = python_source(text.encode()) if at_once or MARK in text else None
    return source if source and source.encoding.startswith("utf-8") else None


def _docstrings(source: PythonSource) -> dict[Owner, Docstring]:
    """All docstrings, in the order of the file."""
    seen: Counter[str] = Counter()
    found: dict[Owner, Docstring] = {}
    for name, node in _documented(source.module, ""):
        if docstring := _docstring(source, node):
            found[name, seen[name]] = docstring
        seen[name] += 1
    return dict(sorted(found.items(), key=lambda each: each[1].begin))


def _documented(node: ast.AST, name: str) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Everything that can have a docstring, with its statements."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield name, node.body
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _documented(child, f"{name}.{child.name}".lstrip("."))
        elif isinstance(child, ast.stmt):
            yield from _documented(child, name)


def _docstring(source: PythonSource, body: list[ast.stmt]) -> Docstring | None:
    match body:
        case [ast.Expr(value=ast.Constant(value=str() as text) as node), *_]:
            return Docstring(source.begin(node), source.end(node), _examples(text))
        case _:
            return None


def _examples(text: str) -> Examples:
    """The examples as doctest reads them. What it cannot read fails in the runner, too, so it counts as it is
    written.
    """
    try:
        return tuple((each.source, each.want) for each in DocTestParser().get_examples(text))
    except ValueError:
        return ((text, ""),)
