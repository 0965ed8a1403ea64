"""Validation of settings: they can be used, or one line says why not."""

import math
from collections.abc import Iterator
from typing import Any, cast

from msgspec import ValidationError

from ralph.config.schema import Settings, apply_schema
from ralph.model.errors import ConfigError


def checked(data: dict[str, Any], source: str) -> Settings:
    """The settings. `source` names the file, the variable or the flag in an error."""
    try:
        settings = apply_schema(data)
    except ValidationError as error:
        from ralph.config.explain import explain

        raise explain(data, str(error), source) from None
    # This comes after the schema: what fits it is finite, but YAML can write an object that contains itself.
    for value in _scalars(data):
        if problem := _problem(value):
            raise ConfigError(f"{source} {problem}.")
    return settings


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        inner = cast("dict[Any, Any]", value)
        for each in (*inner, *inner.values()):
            yield from _scalars(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _scalars(each)
    else:
        yield value


def _problem(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "has a number that is not finite"
    if isinstance(value, str) and "\0" in value:
        return "has a NUL character, which no command can take"
    if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
        return "has half of a character (a lone surrogate)"
    return ""
