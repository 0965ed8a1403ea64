"""A Python file as text and as a syntax tree, with the positions of one in the other."""

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator

from msgspec import Struct

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
LONE_RETURN = re.compile(rb"\r(?!\n)")


class PythonSource(Struct, frozen=True):
    text: bytes
    """The text in UTF-8, without a byte order mark, because the columns of the syntax tree count its bytes."""
    encoding: str
    module: ast.Module
    line_begins: tuple[int, ...]

    def begin(self, node: ast.expr | ast.stmt) -> int:
        return self.line_begins[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        if node.end_lineno is None or node.end_col_offset is None:  # Only nodes that no parser created have no end.
            return self.begin(node)
        return self.line_begins[node.end_lineno - 1] + node.end_col_offset

    def segment(self, node: ast.expr | ast.stmt) -> str:
        return self.text[self.begin(node) : self.end(node)].decode()

    def encoded(self, text: bytes) -> bytes | None:
        """The text in the file's encoding; None if the result is not Python."""
        return text.decode().encode(self.encoding) if _syntax(text) else None


def python_source(content: bytes) -> PythonSource | None:
    """The source; None if it is not valid in the Python that ralph itself runs on."""
    text_and_encoding = _decoded(content)
    if text_and_encoding is None or LONE_RETURN.search(content):
        return None
    text, encoding = text_and_encoding
    module = _syntax(text)
    if module is None:
        return None
    begins = (0, *(found.end() for found in re.finditer(rb"\n", text)))
    return PythonSource(text, encoding, module, begins)


def own_nodes(*roots: ast.AST) -> Iterator[ast.AST]:
    """The nodes of statements, without the contents of functions and classes inside them."""
    todo = list(roots)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, SCOPES):
            todo.extend(ast.iter_child_nodes(node))


def dotted(node: ast.AST) -> str:
    """The dotted name, such as `pytest.mark.slow`; empty if the node is more than names and dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""


def is_main_guard(node: ast.AST) -> bool:
    """Whether the node is `if __name__ == "__main__":`."""
    return isinstance(node, ast.If) and "'__main__'" in ast.dump(node.test)


def _decoded(content: bytes) -> tuple[bytes, str] | None:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding).encode(), encoding
    except (SyntaxError, UnicodeError, LookupError):
        return None


def _syntax(text: bytes) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # It is parsed as text: an encoding cookie counts for bytes only.
            return ast.parse(text.decode())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
