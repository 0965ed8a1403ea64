"""Sparse settings objects: merging them, and finding values in them."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard


def merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """The merged object: objects merge key by key; arrays and scalars of `over` replace the old ones. Neither argument
    changes.
    """
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = merge(below, value) if is_object(below) and is_object(value) else value
    return merged


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def nested(path: Sequence[str | int], value: Any) -> Any:
    """The object that contains only `value`, below the keys of `path`."""
    for key in reversed(path):
        value = {key: value}
    return value


def leaves(data: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each value that is not an object, or an empty one, with its path. A list is one value."""
    for key, value in data.items():
        if is_object(value) and value:
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value
