"""Reading a setting from a variable: `RALPH_` and the key in upper snake case, `__` between a section and its keys.

It is imported late, because it inspects the schema, and few starts have such a variable.
"""

from typing import Any

from msgspec.inspect import (
    BoolType,
    DictType,
    FloatType,
    IntType,
    ListType,
    NoneType,
    StrType,
    StructType,
    Type,
    UnionType,
)

from ralph.config.keys import alternatives, every_key, fields, nearest, root, step
from ralph.config.merge import nested
from ralph.config.read import parse_json
from ralph.config.variables import PREFIX
from ralph.config.wording import quoted, snake
from ralph.model.errors import ConfigError

BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def read_variable(name: str, text: str) -> dict[str, Any]:
    """The one setting in the variable, as a sparse object."""
    path: tuple[str, ...] = ()
    kind: Type | None = root()
    for part in name.removeprefix(PREFIX).lower().split("__"):
        key = next((each for each in fields(kind) if snake(each) == part), part)
        path = (*path, key)
        kind = step(kind, key)
        if kind is None:
            raise _unknown(name)
    return nested(path, read_value(text.strip(), kind, name))


def variable_name(path: tuple[str, ...]) -> str:
    """The variable of a key: `RALPH_BUDGET__USD` for `budget.usd`."""
    return PREFIX + "__".join(snake(key) for key in path).upper()


def read_value(text: str, kind: Type, name: str) -> Any:
    """The text as the schema's type. A text that does not fit stays text, so that the schema explains what it
    expects.
    """
    match kind:
        case UnionType():
            return _any_of(text, kind, name)
        case BoolType():
            return BOOLEANS.get(text.lower(), text)
        case IntType() | FloatType():
            return _number(text, int if isinstance(kind, IntType) else float)
        case ListType(item_type=StrType()) if not text.startswith("["):
            return [part.strip() for part in text.split(",") if part.strip()]
        case ListType() | StructType() | DictType():
            return _json(text, name)
        case _:
            return text


def _any_of(text: str, kind: UnionType, name: str) -> Any:
    if text.lower() == "null":
        return None
    options = [each for each in alternatives(kind) if not isinstance(each, NoneType)]
    objects = [each for each in options if isinstance(each, StructType)]
    plain = [each for each in options if each not in objects]
    return read_value(text, (objects if objects and text.startswith("{") else plain or objects)[0], name)


def _number(text: str, kind: type[int] | type[float]) -> Any:
    try:
        return kind(text)
    except ValueError:
        return text


def _json(text: str, name: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise ConfigError(f"{name} must be JSON: {error}.") from None


def _unknown(name: str) -> ConfigError:
    near = nearest(name, (variable_name(path) for path in every_key() if "*" not in path))
    return ConfigError(f"{quoted(name)[1:-1]}: unknown setting in the environment.", f"Did you mean {near}?")
