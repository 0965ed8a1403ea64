"""The versions of the programs that a check ran with."""

import platform
from collections.abc import Iterable

from ralph.checks.proof.programs import USUAL, WORD
from ralph.workbench.bench import Workbench

ASKED = frozenset(USUAL) - {"sh", "env", "task"}
"""Programs that only print their version when they are asked for it."""
OTHER_WORDS = {"go": "version"}
LIMIT = 20.0
LONGEST = 100


def platform_name() -> str:
    """The kernel, the machine, and the distribution of the programs, as in a container image."""
    try:
        release = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        release = ""
    return ", ".join(filter(None, (f"{platform.system()} {platform.machine()}", release[:LONGEST])))


async def versions_of(commands: Iterable[str], bench: Workbench) -> dict[str, str]:
    """The versions of the known programs that the commands name; a program that does not print its version is left
    out.
    """
    names = sorted({word for command in commands for word in WORD.findall(command)} & ASKED)
    found: dict[str, str] = {}
    for name in names:
        done = await bench.run([name, OTHER_WORDS.get(name, "--version")], limit=LIMIT)
        said = (done.text or done.err).strip().splitlines()
        if done.code == 0 and said:
            found[name] = said[0][:LONGEST]
    return found
