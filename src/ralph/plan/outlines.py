"""What a source file offers: its types, its components, the names it exports, and its tests."""

import re
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from msgspec import Struct

from ralph.plan.source_files import grammar_of, is_ui_file, stem
from ralph.syntax.grammars import parse

if TYPE_CHECKING:
    from tree_sitter import Node

READERS = {
    "python": "ralph.plan.languages.python",
    "javascript": "ralph.plan.languages.javascript",
    "typescript": "ralph.plan.languages.javascript",
    "tsx": "ralph.plan.languages.javascript",
    "go": "ralph.plan.languages.golang",
    "rust": "ralph.plan.languages.rust",
}
"""The readers by grammar. A new language is a row here, one in `source_files`, and a file."""
GENERATED = re.compile(rb"(?i)@generated\b|\b(?:code|file) (?:was |is )?(?:auto-?)?(?:matically )?generated\b.*")
STORED_ELSEWHERE = b"version https://git-lfs."
LOOKED_AT = 1000
"""How many bytes at the beginning of a file show whether a program wrote it."""
IDENTIFIER = re.compile(r"[^\W\d][\w$]{0,99}|\$[\w$]{0,99}")
LONGEST_TITLE = 200
MOST_NAMES = 500
"""How many names of each kind are kept for one file."""


class SourceText(Struct, frozen=True, omit_defaults=True):
    """A file to read."""

    path: str
    content: bytes
    is_test: bool = False


class FileOutline(Struct, frozen=True, omit_defaults=True):
    types: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


class Names:
    """The names that a reader has found so far, each once."""

    def __init__(self, source: SourceText) -> None:
        self.path = source.path
        self.content = source.content
        self.is_test = source.is_test
        self.types: dict[str, None] = {}
        self.components: dict[str, None] = {}
        self.exports: dict[str, None] = {}
        self.tests: dict[str, None] = {}

    def export(self, *names: str) -> None:
        self.exports |= dict.fromkeys(name for name in names if IDENTIFIER.fullmatch(name))

    def export_type(self, name: str) -> None:
        if IDENTIFIER.fullmatch(name):
            self.types[name] = None
            self.exports[name] = None

    def component(self, name: str) -> None:
        if IDENTIFIER.fullmatch(name):
            self.components[name] = None

    def test(self, *parts: str, between: str = "::") -> None:
        """Add a test. Its title may be any text."""
        whole = between.join(parts)
        printable = "".join(sign if sign.isprintable() else " " for sign in whole)
        if title := " ".join(printable.split())[:LONGEST_TITLE]:
            self.tests[title] = None

    def outline(self) -> FileOutline:
        """The outline. For a test file it has only the tests, because nobody imports the rest."""
        found = (self.types, self.components, self.exports, self.tests)
        types, components, exports, tests = (tuple(names)[:MOST_NAMES] for names in found)
        return FileOutline(tests=tests) if self.is_test else FileOutline(types, components, exports, tests)


class Reader(Protocol):
    def read(self, root: "Node", names: Names) -> None: ...


def outline_of(source: SourceText) -> FileOutline:
    """The outline of a file; empty for a language without a reader, and for a file that is not a source."""
    names = Names(source)
    if is_ui_file(source.path):
        names.component(stem(source.path))
        names.export(stem(source.path))
        return names.outline()
    grammar = grammar_of(source.path)
    if not grammar or _is_no_source(source.content[:LOOKED_AT]):
        return FileOutline()
    reader = cast("Reader", import_module(READERS[grammar]))
    tree = parse(grammar, source.content)
    reader.read(tree.root_node, names)
    return names.outline()


def _is_no_source(beginning: bytes) -> bool:
    """Whether it is a binary file, one that a program wrote, or one whose content git does not have."""
    return b"\0" in beginning or beginning.startswith(STORED_ELSEWHERE) or GENERATED.search(beginning) is not None


def text_of(node: "Node | None") -> str:
    return "" if node is None or node.text is None else node.text.decode(errors="replace")


def field(node: "Node", name: str) -> str:
    """The text of a child; empty if there is none of this name."""
    return text_of(node.child_by_field_name(name))
