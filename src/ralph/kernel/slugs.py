"""File names for commands."""

import re
from collections.abc import Iterable

LONGEST = 50


def slug(command: str) -> str:
    """The slug of a command: `./mvnw clean install -T 2C` becomes `mvnw_clean_install_T_2C`."""
    return re.sub(r"[^A-Za-z0-9]+", "_", command).strip("_")[:LONGEST].rstrip("_") or "command"


def unique_slugs(commands: Iterable[str]) -> list[str]:
    """The slugs of the commands. The second command with the same slug gets `_2`, the third `_3`."""
    taken: set[str] = set()
    slugs: list[str] = []
    for command in commands:
        first = slug(command)
        name, number = first, 1
        while name in taken:
            number += 1
            name = f"{first}_{number}"
        taken.add(name)
        slugs.append(name)
    return slugs
