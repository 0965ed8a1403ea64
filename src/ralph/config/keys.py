"""The keys of the schema, as data: for suggestions, for variables and for the documentation.

It is imported late: a normal start applies the schema and never inspects it.
"""

from collections.abc import Iterable, Iterator
from functools import cache

from msgspec.inspect import DictType, Field, ListType, StructType, Type, UnionType, type_info

from ralph.config.schema import Settings

Path = tuple[str | int, ...]
ALIKE = 0.75


@cache
def root() -> Type:
    return type_info(Settings)


def alternatives(kind: Type) -> tuple[Type, ...]:
    return kind.types if isinstance(kind, UnionType) else (kind,)


def section(kind: Type) -> StructType | None:
    """The struct that a value of this kind may be."""
    return next((each for each in alternatives(kind) if isinstance(each, StructType)), None)


def fields(kind: Type) -> dict[str, Field]:
    found = section(kind)
    return {each.encode_name: each for each in found.fields} if found else {}


def step(kind: Type, key: str | int) -> Type | None:
    """The kind of the value below `key`."""
    for each in alternatives(kind):
        if isinstance(each, ListType) and isinstance(key, int):
            return each.item_type
        if isinstance(each, DictType):
            return each.value_type
    return found.type if (found := fields(kind).get(str(key))) else None


def kind_at(path: Path) -> Type | None:
    kind: Type | None = root()
    for key in path:
        kind = step(kind, key) if kind else None
    return kind


def every_key(kind: Type | None = None, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Each key that can be set from outside a list, sections included; `*` stands for any name."""
    kind = kind or root()
    for name, each in fields(kind).items():
        yield (*above, name)
        yield from every_key(each.type, (*above, name))
    for each in alternatives(kind):
        if isinstance(each, DictType) and section(each.value_type):
            yield from every_key(each.value_type, (*above, "*"))


def dotted(path: Path) -> str:
    """The dotted form of a path: `guardrails[0].failAction`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def nearest_key(above: Path, wrong: str) -> str | None:
    """A key of the same section with a similar spelling; otherwise a key of exactly that name elsewhere."""
    here = list(fields(kind)) if (kind := kind_at(above)) else []
    best = nearest(wrong, here)
    if best is None or likeness(best, wrong) < ALIKE:
        elsewhere = (path for path in every_key() if path[-1] == wrong and "*" not in path)
        if found := next(elsewhere, None):
            return dotted(found)
    return dotted((*above, best)) if best else None


def nearest(wrong: str, valid: Iterable[str]) -> str | None:
    return max(valid, key=lambda name: likeness(name, wrong), default=None)


def likeness(name: str, other: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, name.lower(), other.lower()).ratio()
