"""The entries of a JSON object in its text."""

import json
import re

from ralph.config.edit.entries import Group, KeyPosition

_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def json_entries(text: str, begin: int = 0) -> Group:
    """The entries of a text that was parsed before, so it is valid."""
    begin = _after_blanks(text, begin)
    at = _after_blanks(text, begin + 1)
    entries: list[KeyPosition] = []
    while text[at] != "}":
        if text[at] == ",":
            at = _after_blanks(text, at + 1)
        entries.append(_entry(text, at))
        at = _after_blanks(text, entries[-1].end)
    return Group(begin, at + 1, tuple(entries), is_flow=True)


def _entry(text: str, begin: int) -> KeyPosition:
    key, at = _DECODER.raw_decode(text, begin)
    colon = _after_blanks(text, at) + 1
    value = _after_blanks(text, colon)
    _, end = _DECODER.raw_decode(text, value)
    return KeyPosition(key, begin, colon, value, end, json_entries(text, value) if text[value] == "{" else None)


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at
