"""Setting and unsetting one key in a text whose entries are known."""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeGuard

from ralph.config.edit.entries import Group, KeyPosition
from ralph.config.merge import is_object, nested

Path = Sequence[str]
INDENT = "  "
_PLAIN = re.compile(r"[A-Za-z][\w./-]*")
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
"""Words that some YAML readers do not read as text."""
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
"""Line ends and control characters of YAML that JSON leaves unescaped."""


def with_value(text: str, top: Group, path: Path, value: Any) -> str:
    """The text in which the key at `path` has this value. Missing objects on the path are added."""
    group, (key, *rest) = top, path
    while (entry := group.find(key)) and entry.below and rest:
        group, (key, *rest) = entry.below, rest
    made = nested(rest, value)
    if entry is None and group.is_flow:
        return _added_in_braces(text, group, key, made, _unit(text, group if group.entries else top))
    if entry is None:
        return _added_line(text, group, key, made)
    if group.is_flow:
        return _replaced(text, entry, _in_braces(made, _line_indent(text, entry.begin), _unit(text, group)))
    return _replaced(text, entry, _in_block(made, text, entry))


def without(text: str, top: Group, path: Path) -> str:
    """The text without the key at `path`, and without the objects that would then be empty."""
    groups: list[Group] = [top]
    entries: list[KeyPosition] = []
    for key in path:
        entry = groups[-1].find(key)
        if entry is None:
            raise KeyError(key)
        entries.append(entry)
        groups.append(entry.below or groups[-1])
    depth = len(path) - 1
    while depth and len(groups[depth].entries) == 1:
        depth -= 1
    group, entry = groups[depth], entries[depth]
    return _dropped_in_braces(text, group, entry) if group.is_flow else _dropped_lines(text, entry)


def new_line(key: str, value: Any) -> str:
    """An entry for a YAML mapping that had none."""
    return f"{_scalar(key)}:{_block_value(value, 0)}\n"


def _replaced(text: str, entry: KeyPosition, value: str) -> str:
    """The text with this value. `value` begins with a newline if it is on lines of its own."""
    between = text[entry.colon : entry.value_begin]
    if value.startswith("\n"):
        made = between.rstrip() + value
    elif "\n" in between and not value.startswith("- "):
        # The old value was below its key; a comment between them stays.
        made = f" {value}{between.rstrip()}"
    else:
        made = (between or " ") + value
    return text[: entry.colon] + made + text[entry.end :]


# In braces: JSON, and YAML in flow style


def _added_in_braces(text: str, group: Group, key: str, value: Any, unit: str | None) -> str:
    if not group.entries:
        made = _in_braces({key: value}, _line_indent(text, group.begin), unit)
        return text[: group.begin] + made + text[group.end :]
    last = group.entries[-1]
    indent = _line_indent(text, last.begin)
    is_line = not text[text.rfind("\n", 0, last.begin) + 1 : last.begin].strip()
    gap = f"\n{indent}" if is_line and "\n" in text[group.begin : last.begin] else " "
    made = f",{gap}{_json(key)}: {_in_braces(value, indent, unit)}"
    return text[: last.end] + made + text[last.end :]


def _dropped_in_braces(text: str, group: Group, entry: KeyPosition) -> str:
    number = group.entries.index(entry)
    if number + 1 < len(group.entries):
        return text[: entry.begin] + text[group.entries[number + 1].begin :]
    if number:
        return text[: group.entries[number - 1].end] + text[entry.end :]
    return f"{text[: group.begin]}{{}}{text[group.end :]}"


def _in_braces(value: Any, indent: str, unit: str | None) -> str:
    if not isinstance(value, dict | list) or unit is None:
        return _json(value)
    return _json(value, unit).replace("\n", f"\n{indent}")


def _unit(text: str, group: Group) -> str | None:
    """The indentation of one level; None if everything is on one line."""
    if not group.entries:
        return INDENT if "\n" in text else None
    first = group.entries[0].begin
    if "\n" not in text[group.begin : first]:
        return None
    return _line_indent(text, first)[len(_line_indent(text, group.begin)) :] or INDENT


# In block style: YAML


def _added_line(text: str, group: Group, key: str, value: Any) -> str:
    last = group.entries[-1]
    column = _column(text, last.begin)
    end = _line_end(text, last.end)
    return f"{text[:end]}\n{' ' * column}{_scalar(key)}:{_block_value(value, column)}{text[end:]}"


def _dropped_lines(text: str, entry: KeyPosition) -> str:
    begin = text.rfind("\n", 0, entry.begin) + 1
    return text[:begin] + text[_line_end(text, entry.end) :].removeprefix("\n")


def _in_block(value: Any, text: str, entry: KeyPosition) -> str:
    """The new value. A list stays where its items were, and what was on one line stays on one line."""
    old = text[entry.value_begin : entry.end]
    if isinstance(value, dict | list) and old.startswith(("[", "{")) and "\n" not in old:
        return _json(value)
    if _is_list(value) and value and old.startswith("- "):
        return _items(value, _column(text, entry.value_begin)).lstrip()
    return _block_value(value, _column(text, entry.begin)).removeprefix(" ")


def _block_value(value: Any, column: int) -> str:
    """The text after the colon."""
    if _is_list(value) and value:
        return f"\n{_items(value, column + len(INDENT))}"
    if is_object(value) and value:
        indent = column + len(INDENT)
        lines = (f"{' ' * indent}{_scalar(key)}:{_block_value(each, indent)}" for key, each in value.items())
        return "\n" + "\n".join(lines)
    return f" {_scalar(value)}"


def _items(values: list[Any], column: int) -> str:
    return "\n".join(f"{' ' * column}- {_item(value, column + len(INDENT))}" for value in values)


def _item(value: Any, column: int) -> str:
    if is_object(value) and value:
        return _block_value(value, column - len(INDENT)).lstrip()
    return _scalar(value)


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _scalar(value: Any) -> str:
    """The scalar as text. It is unquoted only if every reader reads it as text."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return _json(value)


def _json(value: Any, indent: str | None = None) -> str:
    """JSON that is also valid YAML."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _column(text: str, at: int) -> int:
    return at - text.rfind("\n", 0, at) - 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]
