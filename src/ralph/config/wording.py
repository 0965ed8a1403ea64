"""Other spellings of keys, and a user's own words in a message: always within one line."""

import re
from collections.abc import Iterable

LONGEST = 60


def snake(key: str) -> str:
    """The key in snake case: `maximum_iterations` for `maximumIterations`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()


def quoted(text: object) -> str:
    """The text in double quotes, shortened, with control characters made visible."""
    shown = str(text)
    if len(shown) > LONGEST:
        shown = shown[:LONGEST] + "..."
    return '"' + "".join(char if char.isprintable() else repr(char)[1:-1] for char in shown) + '"'


def listed(names: Iterable[str]) -> str:
    return ", ".join(quoted(name) for name in names)
