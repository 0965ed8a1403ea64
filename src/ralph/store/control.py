"""The control words that people and other processes give to a run and all its parts. Rows are only appended."""

import os
import time
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from ralph.model.runs import family
from ralph.store.sql import Sql, Store

Said = Literal["go", "pause", "stop", "guide", "grant", "approve", "reject", "answer", "retry", "edit"]
QUESTIONS_KEPT = 64
"""How many queries are kept: a run asks the same few in each iteration."""
STEERING: tuple[Said, ...] = ("go", "pause", "stop")
"""The words of which only the latest applies. Actions read the others; each names the last word that it has seen."""
_SAY = "INSERT INTO control (run_id, at, said, text, said_by) VALUES (:run_id, :at, :said, :text, :said_by)"


class Word(Struct, frozen=True, rename="camel"):
    id: int
    run_id: str
    at: float
    said: Said
    text: str
    said_by: str


def saying(run_id: str, said: Said, text: str = "") -> Sql:
    """The statement, for callers that write more along with it."""
    values = {"run_id": run_id, "at": time.time(), "said": said, "text": text, "said_by": _who()}
    return Sql(_SAY, values)


def say(store: Store, run_id: str, said: Said, text: str = "") -> None:
    store.write(saying(run_id, said, text))


def heard(store: Store, run_id: str, *said: Said, after: int = 0) -> list[Word]:
    """The words for the run and its ancestors, in the order in which they were given."""
    reached_from = family(run_id) if said[0] in STEERING else _whole(store, run_id)
    text, values = _question(tuple(reached_from), said)
    return [Word(*row) for row in store.tuples(text, after=after, **values)]


@lru_cache(maxsize=QUESTIONS_KEPT)
def _question(runs: tuple[str, ...], said: tuple[Said, ...]) -> tuple[str, dict[str, str]]:
    """The query for these words to these runs, and its values."""
    ids = {f"run{place}": each for place, each in enumerate(runs)}
    words = {f"said{place}": str(each) for place, each in enumerate(said)}
    text = (
        f"SELECT id, run_id, at, said, text, said_by FROM control WHERE run_id IN ({_names(ids)})"  # noqa: S608 - names of values
        f" AND said IN ({_names(words)}) AND id > :after ORDER BY id"
    )
    return text, ids | words


def latest(store: Store, run_id: str) -> Word | None:
    """The word that holds for the run now."""
    words = heard(store, run_id, *STEERING)
    return words[-1] if words else None


def _whole(store: Store, run_id: str) -> list[str]:
    """The run and its ancestors, but not the run of an agent that only started it."""
    reached = family(run_id)
    if len(reached) == 1:
        return reached
    ids = {f"run{place}": each for place, each in enumerate(reached)}
    parts = {
        row["id"]
        for row in store.read(f"SELECT id FROM runs WHERE is_part = 1 AND id IN ({_names(ids)})", **ids)  # noqa: S608 - as above
    }
    found: list[str] = []
    for each in reached:
        found.append(each)
        if each not in parts:
            break
    return found


def _names(values: Iterable[str]) -> str:
    return ", ".join(f":{name}" for name in values)


def _who() -> str:
    if run := os.environ.get("RALPH_RUN_ID"):
        return f"run {run}"
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
