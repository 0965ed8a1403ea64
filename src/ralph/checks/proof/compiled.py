"""Compiled Python files: which of them replace their source, and which are harmless."""

from collections.abc import Iterable

from ralph.model.proof import Finding, Tree

RULE = "shadow"
CHECKED_BY_TIME = b"\0\0\0\0"
"""The flags of a file that Python compares with the time and the size of its source. A checkout has another time, so
Python compiles the source again."""


async def without_harmless(findings: Iterable[Finding], head: Tree) -> list[Finding]:
    """The findings without harmless ones: files that Python leaves in `__pycache__`, in a project that does not ignore
    that folder, are no attack.
    """
    return [each for each in findings if not await _is_harmless(each, head)]


async def _is_harmless(found: Finding, head: Tree) -> bool:
    if found.rule != RULE or "__pycache__/" not in found.file or not found.file.endswith(".pyc"):
        return False
    content = await head.read(found.file) or b""
    return content[4:8] == CHECKED_BY_TIME
