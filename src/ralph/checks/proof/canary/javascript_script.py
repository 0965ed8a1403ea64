"""A JavaScript program that does all its work and then fails."""

import re
from typing import TYPE_CHECKING

from ralph.checks.proof.canary.edits import Edit, edited
from ralph.checks.proof.canary.failing_script import EXIT_CODE, FailingScript
from ralph.checks.proof.canary.syntax import inside, parsed, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

LATER = re.compile(r"\basync\b|\.then\(|\bPromise\b|\bset(Timeout|Immediate|Interval)\(|\.(on|once)\(")
"""Work that continues after the last line."""
FAIL = f"((..._) => process.exit({EXIT_CODE}))"


def failing_javascript(content: bytes, language: str = "javascript") -> FailingScript:
    root = parsed(language, content)
    if root is None:
        return FailingScript(refusal="is not JavaScript that ralph can read")
    if LATER.search(text_of(root)) and not _ends_awaited(root):
        return FailingScript(refusal="goes on after its last line")
    if any(each.type == "return_statement" for each in inside(root, but=_FUNCTIONS)):
        return FailingScript(refusal="may return before its last line")
    ends = [Edit(each.start_byte, each.end_byte, FAIL.encode()) for each in _own_ends(root)]
    last = Edit(len(content), len(content), f"\n;process.exit({EXIT_CODE});\n".encode())
    return FailingScript(edited(content, [*ends, last]))


_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function_declaration", "class_declaration", "class"})


def _ends_awaited(root: "Node") -> bool:
    statements = [each for each in root.named_children if each.type != "comment"]
    return bool(statements) and text_of(statements[-1]).startswith("await ")


def _own_ends(root: "Node") -> list["Node"]:
    """The calls of `process.exit` that do not say that the program failed."""
    ends: list[Node] = []
    for node in inside(root):
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        arguments = text_of(node.child_by_field_name("arguments"))
        if function and text_of(function) == "process.exit" and not re.fullmatch(r"\(\s*[1-9]\d*\s*\)", arguments):
            ends.append(function)
    return ends
