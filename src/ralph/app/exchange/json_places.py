"""Foreign JSON: parsed strictly, with the positions of its values, so that one of them can be changed alone."""

from typing import Any

from ralph.app.exchange.formats import Edit
from ralph.app.json_edit import items
from ralph.config.read import parse_json
from ralph.model.errors import ConfigError


def read_json(text: str, name: str) -> Any:
    """The parsed JSON. A ConfigError names the place of the damage, such as the end of a half-written file."""
    try:
        return parse_json(text)
    except ValueError as error:
        raise ConfigError(f"{name} is not valid JSON: {error}.", "Fix it, or write it again.") from None


def place_of(text: str, *path: str | int) -> int:
    """The position of the value at this path. The text must be valid JSON that has this path."""
    place = len(text) - len(text.lstrip(" \t\r\n"))
    for step in path:
        there = items(text, place)
        place = there[step].value if isinstance(step, int) else next(each.value for each in there if each.key == step)
    return place


def places_in(text: str, *path: str | int) -> list[int]:
    """Where each element of the list at this path begins."""
    return [each.value for each in items(text, place_of(text, *path))]


def member_edit(text: str, start: int, key: str, written: str) -> Edit:
    """The edit that sets the member `key` of the object at `start` to `written`, a value in JSON."""
    there = items(text, start)
    for each in there:
        if each.key == key:
            return Edit(each.value, each.end, written)
    place = there[-1].end
    return Edit(place, place, f', "{key}": {written}')
