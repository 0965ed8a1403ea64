"""The sentence for a validation error: which key of which source, what is wrong, what is valid."""

import re
from typing import Any

from msgspec import ValidationError
from msgspec.inspect import LiteralType

from ralph.config.keys import Path, alternatives, dotted, kind_at, likeness, nearest, nearest_key
from ralph.config.merge import is_object, nested
from ralph.config.schema import apply_schema
from ralph.config.wording import listed, quoted
from ralph.model.errors import ConfigError

PLAIN = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
GONE = {
    "learnings": "Nothing writes learnings, so no prompt carries any: remove the key.",
    "review.severityFloor": "Findings of severity medium and high block a review, later ones only if they are high or"
    " not fixed: remove the key.",
}
"""Removed keys that may still be in a user's file, and what to do about them."""
ALIKE_VALUE = 0.6
"""Values are short: one letter in three may be wrong."""
BOUNDS = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}


def explain(data: dict[str, Any], message: str, source: str) -> ConfigError:
    what, _, where = message.partition(" - at `")
    path = _path(data, where)
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", what, re.DOTALL):
        return unknown_key(path, found[1], source)
    if where.startswith("key` in"):
        return ConfigError(f"{source}: a key {_within(path)} is not text.", "Put it in quotes.")
    if found := re.fullmatch(r"Object missing required field `(.*)`", what):
        return ConfigError(f"{source}: {quoted(dotted((*path, found[1])))} is missing.")
    if not path:
        return ConfigError(f"{source}: the settings {_sentence(what, data, path)}.")
    value = _value(data, path)
    hint = _nearest_choice(value, path) if what.startswith("Invalid enum value") else ""
    return ConfigError(f"{source}: {quoted(dotted(path))} {_sentence(what, value, path)}.", hint)


def unknown_key(above: Path, key: str, source: str) -> ConfigError:
    if why := GONE.get(dotted((*above, key))):
        return ConfigError(f"{source}: {quoted(dotted((*above, key)))} is not a setting of this version.", why)
    near = nearest_key(above, key)
    hint = f"Did you mean {quoted(near)}?" if near else ""
    return ConfigError(f"{source}: unknown key {quoted(dotted((*above, key)))}.", hint)


def _sentence(what: str, value: Any, path: Path) -> str:
    if found := re.fullmatch(r"Expected `(.*)`, got `(.*)`", what):
        expected = " or ".join(PLAIN.get(name, name) for name in found[1].split(" | "))
        return f"must be {expected}, got {_shown(value, found[2], path)}"
    if found := re.fullmatch(r"Expected `\w+` ([<>]=?) (\S+)", what):
        return f"must be {BOUNDS[found[1]]} {float(found[2]):.17g}, got {value}"
    if what.startswith("Expected `str` matching regex"):
        return "must not be blank"
    if what.startswith("Invalid enum value"):
        return f"must be one of {listed(_choices(path))}, got {quoted(value)}"
    return " ".join(what.split())


def _shown(value: Any, kind: str, path: Path) -> str:
    """Numbers and text as they are, with secrets masked; of anything else only what it is."""
    if isinstance(value, str):
        from ralph.config.redact import redacted

        return quoted(redacted({str(path[-1] if path else ""): value}).popitem()[1])
    return str(value).lower() if isinstance(value, int | float) else PLAIN.get(kind, kind)


def _nearest_choice(value: Any, path: Path) -> str:
    near = nearest(str(value), _choices(path))
    return f"Did you mean {quoted(near)}?" if near and likeness(near, str(value)) >= ALIKE_VALUE else ""


def _choices(path: Path) -> list[str]:
    kind = kind_at(path)
    literals = [each for each in (alternatives(kind) if kind else ()) if isinstance(each, LiteralType)]
    return [str(value) for literal in literals for value in literal.values]


def _path(data: dict[str, Any], where: str) -> Path:
    """The path in `$.guardrails[0].failAction`; the key of a free-form object is only `[...]` there."""
    path: Path = ()
    for name, index, gap in re.findall(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])", where):
        path = (*path, _culprit(data, path) if gap else int(index) if index else name)
    return path


def _culprit(data: dict[str, Any], above: Path) -> str:
    entries = _value(data, above)
    for key, value in entries.items() if is_object(entries) else ():
        try:
            apply_schema(nested((*above, key), value))
        except ValidationError:
            return key
    return "*"


def _value(data: Any, path: Path) -> Any:
    for key in path:
        try:
            data = data[key]
        except (LookupError, TypeError):
            return None
    return data


def _within(path: Path) -> str:
    return f"of {quoted(dotted(path))}" if path else "at the top level"
