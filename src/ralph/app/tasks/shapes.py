"""Conversion of plain data to a typed form; a mismatch becomes one line that names its place."""

import math
import re
from collections.abc import Collection
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from ralph.config.explain import BOUNDS, PLAIN
from ralph.config.keys import nearest
from ralph.config.merge import is_object
from ralph.config.read import DEEPEST
from ralph.config.wording import listed, quoted
from ralph.model.errors import ConfigError
from ralph.model.verification import METHODS

S = TypeVar("S", bound=Struct)
_CAMEL = re.compile("(?<=[a-z])[A-Z]")


def as_shape(data: Any, kind: type[S], where: str, above: str = "") -> S:
    """The typed value. A key without a value counts as missing. `above` is the path of the data in its task."""
    if not is_object(data):
        raise ConfigError(f"{where}: {quoted(above or 'task')} must be a mapping.")
    given = in_snake_case(data, kind.__struct_fields__, where)
    for key in given:
        if key not in kind.__struct_fields__:
            near = nearest(key, kind.__struct_fields__)
            raise ConfigError(f"{where}: unknown key {quoted(_below(above, key))}.", f"Did you mean {quoted(near)}?")
    try:
        return msgspec.convert({key: value for key, value in given.items() if value is not None}, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {_sentence(str(error), above)}.") from None


def in_snake_case(data: dict[str, Any], known: Collection[str], where: str) -> dict[str, Any]:
    """The data with the usual names for known keys that were written in camelCase."""
    found: dict[str, Any] = {}
    for key, value in data.items():
        usual = _CAMEL.sub(lambda letter: f"_{letter[0].lower()}", key)
        name = usual if usual in known else key
        if name in found:
            raise ConfigError(f"{where}: {name} occurs twice, also as {key}.", "Keep one of them.")
        found[name] = value
    return found


def refuse_odd_values(value: Any, where: str, depth: int = 0) -> None:
    """Refuse values that no database, no command line or no other JSON reader can hold."""
    if depth > DEEPEST:
        raise ConfigError(f"{where}: it is nested too deeply.")
    if isinstance(value, dict):
        for key, each in cast("dict[Any, Any]", value).items():
            if not isinstance(key, str):
                raise ConfigError(f"{where}: the key {key!r} is not text.", "Put it in quotes.")
            refuse_odd_values(key, where)
            refuse_odd_values(each, where, depth + 1)
    elif isinstance(value, list | tuple):
        for each in cast("list[Any]", value):
            refuse_odd_values(each, where, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where}: it has a number that is not finite.")
    elif isinstance(value, str) and ("\0" in value or re.search("[\ud800-\udfff]", value)):
        raise ConfigError(f"{where}: {quoted(value)} has a character that is not text.")


def _sentence(message: str, above: str) -> str:
    what, _, place = message.partition(" - at `$")
    path = quoted(_below(above, place.removeprefix(".").removesuffix("`")))
    if found := re.fullmatch(r"Object missing required field `(.*)`", what):
        return f"{quoted(_below(above, found[1]))} is missing"
    if found := re.fullmatch(r"Expected `(.*)`, got `(.*)`", what):
        expected = " or ".join(PLAIN.get(name, name) for name in found[1].split(" | ") if name != "null")
        return f"{path} must be {expected}, not {PLAIN.get(found[2], found[2])}"
    if found := re.fullmatch(r"Expected `\w+` ([<>]=?) (\S+)", what):
        return f"{path} must be {BOUNDS[found[1]]} {found[2]}"
    if what.startswith("Invalid enum value"):
        return f"{path} must be one of {listed(METHODS)}"
    return f"{path}: {what}"


def _below(above: str, key: str) -> str:
    return ".".join(part for part in (above, key) if part)
