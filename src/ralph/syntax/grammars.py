"""The tree-sitter grammars, each loaded when a file of its language is first parsed."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from ralph.model.errors import StateError

if TYPE_CHECKING:
    from tree_sitter import Language, Query, Tree

GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
}


def parse(grammar: str, content: bytes) -> "Tree":
    from tree_sitter import Parser

    return Parser(_language(grammar)).parse(content)


@cache
def query(grammar: str, text: str) -> "Query":
    from tree_sitter import Query

    return Query(_language(grammar), text)


@cache
def _language(name: str) -> "Language":
    module, function = GRAMMARS[name]
    try:
        from tree_sitter import Language

        pointer: object = getattr(import_module(module), function)()
        return Language(pointer)
    except (ImportError, AttributeError, ValueError) as error:
        raise StateError(
            f"the grammar of {name} cannot be loaded ({module}: {error}).", "Install ralph again with its dependencies."
        ) from error
