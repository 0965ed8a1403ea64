"""What the calls of agents and models cost, according to the journals."""

from functools import cache, partial
from pathlib import PurePosixPath

import msgspec
from msgspec import Struct

from ralph.model.evidence import Spent
from ralph.model.rows import parse_key
from ralph.model.runs import family
from ralph.store.attempt_folders import number_in
from ralph.store.sql import Found, Store

STAGE, UNIT = "stage", "iteration"
OF_SPECS = ("spec", "spec-plan")
"""Recipes whose runs are labelled with the spec that they run or plan."""
# A check has spent only time. The folder of an attempt is asked for where it tells the number of an iteration.
_CALLS = """SELECT run_id, key, at, spent, CASE WHEN task_id IS NOT NULL AND key LIKE 'run-agent/%'
        THEN coalesce(body, data) END
    FROM journal JOIN runs ON runs.id = run_id
        LEFT JOIN blobs ON task_id IS NOT NULL AND body IS NULL AND blobs.digest = journal.digest
    WHERE runs.project_id = :project AND (spent LIKE '%"usd"%' OR spent LIKE '%"tokens"%') ORDER BY at"""
# The options name the spec of a task that was deleted meanwhile.
_RUNS = """SELECT runs.id, recipe, label, task_id, spec_id, CASE WHEN spec_id IS NULL THEN options END AS options
    FROM runs LEFT JOIN tasks ON tasks.project_id = runs.project_id AND tasks.id = task_id
    WHERE runs.project_id = :project"""


class Call(Struct, frozen=True):
    """One call of an agent or a model, and its purpose."""

    run_id: str
    at: float
    spent: Spent
    spec: str = ""
    """The spec; empty if the call belongs to no spec and no task."""
    task: str = ""
    """The task; empty for the spec as a whole, such as its planning and its final review."""
    role: str = ""
    iteration: int = 0
    """The number among all iterations of the role at the task; 0 for a call outside of them, or by a run that an agent
    started."""


class _Place(Struct, frozen=True):
    spec: str = ""
    task: str = ""
    role: str = ""


_NOWHERE = _Place()


class _Told(Struct):
    spec: str = ""


class _Options(Struct):
    loop: _Told = msgspec.field(default_factory=_Told)


class _Report(Struct, rename="camel"):
    attempt_dir: str = ""


_spent = msgspec.json.Decoder(Spent)


def calls_of(store: Store, project: str) -> list[Call]:
    """All known calls of the project's runs, the oldest first. Checks are left out, because they cost only time."""
    places = {row["id"]: _place(row) for row in store.read(_RUNS, project=project)}
    rows = store.tuples(_CALLS, project=project)
    numbers = {(run_id, parse_key(key).iteration): _number(body) for run_id, key, _, _, body in rows if body}
    # A loop asks for the same run many times.
    places_of_calls = cache(partial(_place_of_calls, places))
    calls: list[Call] = []
    for run_id, key, at, text, _ in rows:
        spent = _spent.decode(text)
        if not spent.tokens.total and not spent.usd:
            continue
        place, is_own = places_of_calls(run_id)
        own = parse_key(key).iteration if is_own else 0
        number = numbers.get((run_id, own)) or own
        calls.append(Call(run_id, at, spent, place.spec, place.task, place.role, number))
    return calls


def _place_of_calls(places: dict[str, _Place], run_id: str) -> tuple[_Place, bool]:
    """The place of the nearest run upward that belongs to a spec, and whether that is the run itself."""
    above = next((each for each in family(run_id) if places.get(each, _NOWHERE).spec), "")
    return places.get(above, _NOWHERE), above == run_id


def _number(body: bytes) -> int:
    """The iteration's number, from the attempt's folder, which is numbered over all runs of the task."""
    folder = msgspec.json.decode(body, type=_Report).attempt_dir
    return number_in(PurePosixPath(folder).name, UNIT)


def _place(row: Found) -> _Place:
    if row["recipe"] in OF_SPECS:
        return _Place(row["label"])
    if not row["task_id"]:
        return _Place()
    spec = row["spec_id"] or _spec_in(row["options"])
    role = row["label"].removeprefix(row["task_id"]).strip() if row["recipe"] == STAGE else ""
    return _Place(spec, row["task_id"], role)


def _spec_in(options: bytes | None) -> str:
    try:
        return msgspec.json.decode(options or b"{}", type=_Options).loop.spec
    except msgspec.DecodeError:
        return ""
