"""The change without the words by which it asks whether it is tested: correct work is correct without them, too."""

import re
from collections.abc import Iterable

from ralph.model.proof import Finding, NewFile, Tree, TreeChanges

TESTS = re.compile(rb"(?<=[tTjJ])(es|ES)[tT]")
"""The letters to replace in `pytest`, `PYTEST_CURRENT_TEST`, `test.v`, `JEST_WORKER_ID`."""
RULE = "runner"


async def without_asking(head: Tree, findings: Iterable[Finding]) -> TreeChanges:
    """The changes of the change's tree; empty if it does not ask, or if it asks in words that cannot be removed."""
    asked: dict[str, list[int]] = {}
    for each in findings:
        if each.rule == RULE and each.level == "block":
            asked.setdefault(each.file, []).append(each.line)
    changes: dict[str, NewFile] = {}
    for path, numbers in asked.items():
        content = await head.read(path) if path in head.entries else None
        disguised = _disguised(content or b"", numbers)
        if disguised is None:
            return {}
        changes[path] = NewFile(head.entries[path].mode, disguised)
    return changes


def _disguised(content: bytes, numbers: Iterable[int]) -> bytes | None:
    lines = content.split(b"\n")
    for number in set(numbers):
        if not 0 < number <= len(lines) or not TESTS.search(lines[number - 1]):
            return None
        lines[number - 1] = TESTS.sub(rb"\1x", lines[number - 1])
    return b"\n".join(lines)
