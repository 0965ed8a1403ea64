"""The start of a spec's branch, from the options of the first run of the spec or of one of its tasks."""

import msgspec
from msgspec import Struct, field

from ralph.store.sql import Store


class _Final(Struct):
    base: str = ""


class _Loop(Struct):
    """The part of a spec's, a task's or a chunk's options that matters here."""

    base: str = ""
    final: _Final | None = None
    tasks: tuple["_Task", ...] = ()


class _Task(Struct):
    loop: _Final = field(default_factory=_Final)


class _Options(Struct):
    loop: _Loop = field(default_factory=_Loop)


def base_of_run(store: Store, run_id: str) -> str:
    """The commit at which the run had to begin its spec's branch; empty if it does not say."""
    [row] = store.read("SELECT options FROM runs WHERE id = :id", id=run_id)
    loop = msgspec.json.decode(row["options"], type=_Options).loop
    places = (loop.base, loop.final.base if loop.final else "", *(task.loop.base for task in loop.tasks))
    return next(filter(None, places), "")
