"""The stop guard among the hooks of an agent: added and removed, with everything else unchanged."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

from ralph.app.guard.call import START, STOP
from ralph.app.guard.hook_files import HookFile, read, real_path, write
from ralph.app.json_edit import cut, inserted, items
from ralph.model.errors import ConfigError

TIMES = {START: 60, STOP: 3600}
"""The events, and how many seconds the agent waits for its hook."""


def install(file: HookFile, command: str) -> bool:
    """Add the guard. Returns whether anything had to be added."""
    before = read(file)
    text = before if before.strip() else "{}\n"
    for event, seconds in TIMES.items():
        if event not in {place.event for place in _own(file, text)}:
            text = _added(text, event, {"type": "command", "command": command, "timeout": seconds})
    if text != before:
        write(file, text)
    return text != before


def remove(file: HookFile) -> bool:
    """Remove the guard. Returns whether anything was there. A file with nothing else is removed, too."""
    before = text = read(file)
    while own := next(_own(file, text), None):
        text = _without(text, own)
    if text == before:
        return False
    if json.loads(text):
        write(file, text)
    else:
        real_path(file).unlink(missing_ok=True)
    return True


class _Own(NamedTuple):
    """A call of the stop guard among the hooks of a file."""

    event: str
    group: int
    number: int


def _own(file: HookFile, text: str) -> Iterator[_Own]:
    """The guard's own calls. Only parts with the form of hooks are read; any other form is refused."""
    if not text.strip():
        return
    for event, groups in _table(_table(_parsed(file, text), file, "").get("hooks", {}), file, "hooks").items():
        for place, group in enumerate(_list(groups, file, f"hooks.{event}")):
            inner = _table(group, file, f"hooks.{event}[{place}]").get("hooks", [])
            for number, hook in enumerate(_list(inner, file, f"hooks.{event}[{place}].hooks")):
                if isinstance(hook, dict) and _is_guard(cast("dict[str, Any]", hook).get("command")):
                    yield _Own(event, place, number)


def _is_guard(command: Any) -> bool:
    try:
        match shlex.split(command) if isinstance(command, str) else []:
            case [name, "guard"]:
                return Path(name).name == "ralph"
            case _:
                return False
    except ValueError:
        return False


def _added(text: str, event: str, hook: dict[str, Any]) -> str:
    group = {"hooks": [hook]}
    top = _skip_to(text)
    hooks = _value(text, top, "hooks")
    if hooks is None:
        return inserted(text, top, {event: [group]}, "hooks")
    groups = _value(text, hooks, event)
    return inserted(text, hooks, [group], event) if groups is None else inserted(text, groups, group)


def _without(text: str, own: _Own) -> str:
    """The text without this call, and without everything that is then empty."""
    top = _skip_to(text)
    hooks = _at(text, top, "hooks")
    groups = _at(text, hooks, own.event)
    group = items(text, groups)[own.group].value
    inner = _at(text, group, "hooks")
    if len(items(text, inner)) > 1:
        return cut(text, inner, own.number)
    if len(items(text, groups)) > 1:
        return cut(text, groups, own.group)
    if len(items(text, hooks)) > 1:
        return cut(text, hooks, _number(text, hooks, own.event))
    return cut(text, top, _number(text, top, "hooks"))


def _skip_to(text: str) -> int:
    return text.index("{")


def _number(text: str, start: int, key: str) -> int:
    """The index of the key. If several members have the same name, the last one counts, as for every JSON reader."""
    return max(number for number, item in enumerate(items(text, start)) if item.key == key)


def _value(text: str, start: int, key: str) -> int | None:
    return next((item.value for item in reversed(items(text, start)) if item.key == key), None)


def _at(text: str, start: int, key: str) -> int:
    return items(text, start)[_number(text, start, key)].value


def _parsed(file: HookFile, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file.shown} is not JSON: {error}.", "Fix it first. Nothing was changed.") from None


def _table(value: Any, file: HookFile, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _no_hooks(file, where, "an object")
    return cast("dict[str, Any]", value)


def _list(value: Any, file: HookFile, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _no_hooks(file, where, "a list")
    return cast("list[Any]", value)


def _no_hooks(file: HookFile, where: str, wanted: str) -> ConfigError:
    what = f"{where} in {file.shown}" if where else file.shown
    return ConfigError(f"{what} is not {wanted}, as {file.agent} wants it.", "Fix it first. Nothing was changed.")
