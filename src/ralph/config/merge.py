"""Sparse settings objects: laying one over another, and finding one's way in them."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard


def merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Objects merge key by key; arrays and scalars of `over` replace what was there. Neither argument changes."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = merge(below, value) if is_object(below) and is_object(value) else value
    return merged


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def nested(path: Sequence[str | int], value: Any) -> Any:
    """The object that holds `value` below the keys of `path`, and nothing else."""
    for key in reversed(path):
        value = {key: value}
    return value


def leaves(data: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each value that is no object, or an empty one, with its path. A list is one value."""
    for key, value in data.items():
        if is_object(value) and value:
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value
