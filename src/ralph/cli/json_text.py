"""The text that `--json` prints: the structs of the use-cases, with the names that programs expect."""

from typing import Any

import msgspec

from ralph.model.words import UNSAFE


def json_text(value: Any, *, indent: int = 2) -> str:
    """The JSON text. With an indent of 0 it is one line. Characters that control a terminal are escaped, also those
    that JSON allows.
    """
    text = msgspec.json.format(msgspec.json.encode(value), indent=indent).decode()
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
