"""Whether an installed program has a flag: its help page is read once, instead of trying the flag and failing."""

import re
from functools import cache

from ralph.proc.capture import capture

SECONDS = 20.0
FLAG = re.compile(r"--[a-z][a-z0-9-]*")
COMMAND = re.compile(r"^ {1,4}([a-z][a-z-]*)\b", re.MULTILINE)


def offers(command: list[str], flag: str, *, unless_told: bool = True) -> bool:
    """Whether the help page lists the flag. If it lists no flags at all, `unless_told` says what a current version
    has.
    """
    listed = _flags(tuple(command))
    return flag in listed if listed else unless_told


def offers_command(program: list[str], command: str) -> bool:
    """Whether the help page lists this command. Another version might take the word for a prompt, and begin to work."""
    return command in COMMAND.findall(_page(tuple(program)))


@cache
def _flags(command: tuple[str, ...]) -> frozenset[str]:
    return frozenset(FLAG.findall(_page(command)))


@cache
def _page(command: tuple[str, ...]) -> str:
    return capture([*command, "--help"], timeout=SECONDS).output
