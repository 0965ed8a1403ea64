"""Whether an installed program has a flag: asked of its help page once, not found out by failing."""

import re
from functools import cache

from ralph.proc import capture

SECONDS = 20.0
FLAG = re.compile(r"--[a-z][a-z0-9-]*")


def offers(command: list[str], flag: str, *, unless_told: bool = True) -> bool:
    """A page that lists no flags at all tells nothing: `unless_told` says what a current version has."""
    listed = _flags(tuple(command))
    return flag in listed if listed else unless_told


@cache
def _flags(command: tuple[str, ...]) -> frozenset[str]:
    return frozenset(FLAG.findall(capture([*command, "--help"], timeout=SECONDS).output))
