"""Changes one place in a JSON file that a person keeps: every other byte stays the same."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

INDENT = "  "
_decoder = json.JSONDecoder()
_blank = re.compile(r"[ \t\r\n]*")


class Item(NamedTuple):
    """A member of an object, or an element of an array."""

    key: str
    """The key; empty in an array."""
    start: int
    value: int
    """The position of its value."""
    end: int


def items(text: str, start: int) -> list[Item]:
    """The items of the object or array that begins there. The text is known to be JSON."""
    return list(_items(text, start))


def inserted(text: str, start: int, value: Any, key: str = "") -> str:
    """The text with one more item at the end of the object or array that begins there."""
    there = items(text, start)
    if not there:
        line, end = _indent_at(text, start), _skip(text, start + 1)
        inner = line + _step(text)
        return text[: start + 1] + _broken(text, f"\n{inner}{_written(text, value, key, inner)}\n{line}") + text[end:]
    last = there[-1]
    if text[_line_start(text, last.start) : last.start].strip():
        name = f"{json.dumps(key)}: " if key else ""
        return f"{text[: last.end]}, {name}{json.dumps(value, ensure_ascii=False)}{text[last.end :]}"
    inner = _indent_at(text, last.start)
    return text[: last.end] + _broken(text, f",\n{inner}{_written(text, value, key, inner)}") + text[last.end :]


def cut(text: str, start: int, number: int) -> str:
    """The text without this item of the object or array that begins there."""
    there = items(text, start)
    if len(there) == 1:
        return text[: start + 1] + text[_skip(text, there[0].end) :]
    if number:
        return text[: there[number - 1].end] + text[there[number].end :]
    return text[: there[0].start] + text[there[1].start :]


def _items(text: str, start: int) -> Iterator[Item]:
    in_object, place = text[start] == "{", _skip(text, start + 1)
    while text[place] not in "}]":
        first, key = place, ""
        if in_object:
            key, place = _decoder.raw_decode(text, place)
            place = _skip(text, _skip(text, place) + 1)
        _, end = _decoder.raw_decode(text, place)
        yield Item(key, first, place, end)
        place = _skip(text, end)
        if text[place] == ",":
            place = _skip(text, place + 1)


def _skip(text: str, place: int) -> int:
    found = _blank.match(text, place)
    return found.end() if found else place


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, place) + 1


def _indent_at(text: str, place: int) -> str:
    """The indentation of the line at this position."""
    line = text[_line_start(text, place) :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str) -> str:
    """The indentation step of the file."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else INDENT


def _written(text: str, value: Any, key: str, indent: str) -> str:
    name = f"{json.dumps(key)}: " if key else ""
    return name + json.dumps(value, indent=_step(text), ensure_ascii=False).replace("\n", f"\n{indent}")


def _broken(text: str, added: str) -> str:
    """The added text with the line ends of the file."""
    return added.replace("\n", "\r\n") if "\r\n" in text else added
