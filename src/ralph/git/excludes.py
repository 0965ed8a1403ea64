"""Lines that were added to git's own exclude files since the run began."""

import re
from pathlib import Path

from msgspec.structs import replace

from ralph.git.named_paths import NamedPaths
from ralph.model.git_rules import GitRules

OF_TOOLS = re.compile(rb"(\*\*/|/)?\.(?!git)[A-Za-z][\w.-]*\*?(/.*)?")
"""Some agents exclude their own folder, such as `.claude/settings.local.json`. No other exclude of theirs is
applied."""
LONGEST = 1 << 20
"""The most bytes of a file of excludes or attributes. Nobody writes more by hand."""


def new_lines(before: bytes, after: bytes) -> list[bytes]:
    """The new lines that would hide a file which is not a tool's own."""
    return [line for line in _added(before, after) if not OF_TOOLS.fullmatch(line)]


def with_lines_of_tools(rules: GitRules, names: NamedPaths) -> GitRules:
    """The rules, and the lines that agents added since for their own folders."""
    exclude, ignore = (
        before + b"".join(b"\n" + line for line in _added(before, content_of(path)) if OF_TOOLS.fullmatch(line))
        for before, path in (
            (rules.exclude, names.path("$GIT_COMMON_DIR/info/exclude")),
            (rules.ignore, names.path(rules.ignore_file) if rules.ignore_file else None),
        )
    )
    return replace(rules, exclude=exclude, ignore=ignore)


def content_of(path: Path | None) -> bytes:
    """The content of a file; empty if it does not exist, as for git."""
    if path is None:
        return b""
    try:
        with path.open("rb") as file:
            return file.read(LONGEST)
    except OSError:
        return b""


def _added(before: bytes, after: bytes) -> list[bytes]:
    known = {line.strip() for line in before.splitlines()}
    lines = (line.strip() for line in after.splitlines())
    return [line for line in lines if line and not line.startswith(b"#") and line not in known]
