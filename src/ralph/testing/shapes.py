"""Checks whether a script's value fits its key. It is small enough to run at every start.

A shape is a type, a tuple of allowed values and types, `[shape]` for a list, `{"*": shape}` for a mapping of any names,
or `{"name": shape, "other?": shape}` for a mapping of exactly these, where `?` marks optional ones.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard

WORDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}


class ScriptError(Exception):
    """What is wrong with a script, in one line."""


def check(shape: Any, value: Any, where: str) -> None:
    if _is_mapping(shape):
        _check_mapping(shape, value, where)
    elif _is_list(shape):
        _check_list(shape[0], value, where)
    elif not any(_fits(choice, value) for choice in _choices(shape)):
        wanted = " or ".join(_word(choice) for choice in _choices(shape))
        raise ScriptError(f"{where} must be {wanted}, not {_word(value)}")


def _check_mapping(shape: dict[str, Any], value: Any, where: str) -> None:
    if not _is_mapping(value):
        raise ScriptError(f"{where} must be a mapping, not {_word(value)}")
    shapes = {name.rstrip("?"): inner for name, inner in shape.items()}
    for key, inner in value.items():
        if key not in shapes and "*" not in shapes:
            raise ScriptError(f"{where}: unknown key {key!r}. Known are: {', '.join(shapes)}")
        check(shapes.get(key, shapes.get("*")), inner, f"{where}: {key}")
    for name in shape:
        if not name.endswith(("?", "*")) and name not in value:
            raise ScriptError(f"{where} lacks {name!r}")


def _check_list(shape: Any, value: Any, where: str) -> None:
    if not _is_list(value):
        raise ScriptError(f"{where} must be a list, not {_word(value)}")
    for number, item in enumerate(value, 1):
        check(shape, item, f"{where} {number}")


def _choices(shape: tuple[Any, ...] | type) -> tuple[Any, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


def _fits(choice: object, value: object) -> bool:
    if not isinstance(choice, type):
        return type(value) is type(choice) and value == choice
    if isinstance(value, bool):
        return choice in (bool, object)
    return isinstance(value, (int, float) if choice is float else choice)


def _word(value: object) -> str:
    if isinstance(value, type):
        return WORDS.get(value, value.__name__)
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    return repr(value)[:60]


def _is_mapping(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
