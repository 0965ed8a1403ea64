"""Work that exists when it is checked, and is missing in what is delivered."""

import posixpath
from collections.abc import Iterable

from ralph.model.proof import Finding, Tree

LINK = "120000"
SHOWN = 10


async def links_elsewhere(head: Tree, changed: Iterable[str]) -> list[Finding]:
    """New links that lead out of the tree: their targets exist only on this machine."""
    findings: list[Finding] = []
    for path in changed:
        entry = head.entries.get(path)
        if entry is None or entry.mode != LINK:
            continue
        target = (await head.read(path) or b"").decode(errors="replace")
        if _leaves(path, target):
            text = f"it is a link to {target}, which is outside of the repository and would not be delivered"
            findings.append(Finding("deliver", "block", text, path))
    return findings


def not_committed(checked: Tree, committed: Tree, changed: Iterable[str]) -> list[Finding]:
    """Files that were checked and that the commit does not have, or has with other content."""
    names = [path for path in changed if checked.entries.get(path) != committed.entries.get(path)]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    text = f"the last commit does not contain what was checked: {', '.join(names[:SHOWN])}{more}"
    return [Finding("deliver", "block", text)] if names else []


def _leaves(path: str, target: str) -> bool:
    reached = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return target.startswith("/") or reached == ".." or reached.startswith("../")
