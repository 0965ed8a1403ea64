"""A value as a person types it on the command line, read as the type in the schema."""

from collections.abc import Sequence
from typing import Any

from msgspec.inspect import AnyType, ListType, Type

from ralph.config.environment import read_value
from ralph.config.explain import unknown_key
from ralph.config.keys import alternatives, root, step
from ralph.config.read import parse_json
from ralph.config.wording import quoted
from ralph.model.errors import ConfigError

SOURCE = "config"


def read_key(key: str) -> tuple[str, ...]:
    """The path of a key such as `defaults.executor`. It raises a ConfigError if the schema does not know the key."""
    path = tuple(key.split("."))
    _kind(path)
    return path


def read_words(path: Sequence[str], words: Sequence[str]) -> Any:
    """One value; for a list its entries, or one text that is a JSON list."""
    kind = _kind(path)
    name = ".".join(path)
    items = next((each.item_type for each in alternatives(kind) if isinstance(each, ListType)), None)
    if items is not None and not _is_whole(words):
        return [read_value(word, items, name) for word in words]
    if len(words) != 1:
        raise ConfigError(f"{quoted(name)} takes one value, not {len(words)}.", "Put it in quotes.")
    return _anything(words[0]) if isinstance(kind, AnyType) else read_value(words[0].strip(), kind, name)


def _is_whole(words: Sequence[str]) -> bool:
    return len(words) == 1 and (words[0].lstrip().startswith("[") or words[0].strip() == "null")


def _anything(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return text


def _kind(path: Sequence[str]) -> Type:
    kind = root()
    for number, key in enumerate(path):
        below = kind if isinstance(kind, AnyType) else step(kind, key)
        if below is None:
            raise unknown_key(tuple(path[:number]), key, SOURCE)
        kind = below
    return kind
