"""The content of a settings file with one key changed, or a clear message why that is not possible."""

from collections.abc import Sequence
from typing import Any

from ralph.config.edit.json_entries import json_entries
from ralph.config.edit.splice import new_line, with_value, without
from ralph.config.merge import is_object, nested
from ralph.config.read import parse_settings
from ralph.model.errors import ConfigError

BOM = "\ufeff"


class Unset:
    """The marker instead of a value that removes the key."""


UNSET = Unset()


def changed_file(raw: bytes | None, name: str, path: Sequence[str], value: Any) -> bytes:
    """The changed content. `raw` is the file's content, None if there is no file; its name says whether it is YAML or
    JSON.
    """
    wanted = changed_data(parse_settings(raw, name) if raw is not None else {}, path, value)
    text = (raw or b"").decode("utf-8-sig")
    is_windows = "\r\n" in text
    made = _changed(text.replace("\r\n", "\n"), path, value, is_yaml=name.endswith(".yaml"))
    made = made.replace("\n", "\r\n") if is_windows else made
    fresh = ((BOM if (raw or b"").startswith(BOM.encode()) else "") + made).encode()
    if not _holds(fresh, name, wanted):
        raise ConfigError(
            f"{name} is written in a way in which ralph cannot change {'.'.join(path)} alone.", "Edit it by hand."
        )
    return fresh


def changed_data(data: dict[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """The same change in plain data. It raises a KeyError if there is nothing to unset."""
    if value is not UNSET:
        return _set(data, path, value)
    key, *rest = path
    below = data[key]
    left = {name: each for name, each in data.items() if name != key}
    if not rest:
        return left
    if not is_object(below):
        raise KeyError(rest[0])
    inner = changed_data(below, rest, UNSET)
    return {name: inner if name == key else each for name, each in data.items()} if inner else left


def _set(data: dict[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    key, *rest = path
    below = data.get(key)
    return {**data, key: _set(below, rest, value) if rest and is_object(below) else nested(rest, value)}


def _changed(text: str, path: Sequence[str], value: Any, *, is_yaml: bool) -> str:
    if is_yaml:
        from ralph.config.edit.yaml_entries import yaml_entries

        top = yaml_entries(text)
        if top is None:
            gap = "\n" if text and not text.endswith("\n") else ""
            return f"{text}{gap}{new_line(path[0], nested(path[1:], value))}"
    else:
        text = text or "{\n}\n"
        top = json_entries(text)
    return without(text, top, path) if value is UNSET else with_value(text, top, path, value)


def _holds(raw: bytes, name: str, wanted: dict[str, Any]) -> bool:
    try:
        return parse_settings(raw, name) == wanted
    except ConfigError:
        return False
