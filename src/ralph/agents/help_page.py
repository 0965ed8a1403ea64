"""Whether an installed program has a flag: asked of its help page once, not found out by failing."""

import re
from functools import cache

from ralph.proc import capture

SECONDS = 20.0
FLAG = re.compile(r"--[a-z][a-z0-9-]*")


def offers(command: list[str], flag: str) -> bool:
    """A page that lists no flags at all tells nothing: then a current version is taken for granted."""
    listed = _flags(tuple(command))
    return flag in listed or not listed


@cache
def _flags(command: tuple[str, ...]) -> frozenset[str]:
    return frozenset(FLAG.findall(capture([*command, "--help"], timeout=SECONDS).output))
