"""The text that `--json` prints: the structs of the use-cases, with the names that programs expect."""

import re
import struct
from typing import Any

import msgspec

from ralph.cli.masked import masked, masked_data
from ralph.model.words import UNSAFE


def json_text(value: Any, *, indent: int = 2) -> str:
    """The JSON text, without secrets. With an indent of 0 it is one line. Characters that control a terminal are
    escaped, also those that JSON allows.
    """
    text = _formatted(value, indent)
    if masked(text) is not text:
        text = _formatted(masked_data(msgspec.to_builtins(value)), indent)
    return escaped(text)


def escaped(text: str) -> str:
    """JSON text that a terminal shows and does not obey."""
    return UNSAFE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    """The character as JSON escapes it: beyond the first 65,536 in two halves."""
    return "".join(
        f"\\u{half:04x}" for (half,) in struct.iter_unpack(">H", found[0].encode("utf-16-be", "surrogatepass"))
    )


def _formatted(value: Any, indent: int) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=indent).decode()
