"""What the calls of agents and models cost, according to the journals."""

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
_CALLS = """SELECT run_id, key, at, spent, CASE WHEN key LIKE 'run-agent/%' THEN coalesce(body, data) END AS body
    FROM journal LEFT JOIN blobs ON body IS NULL AND blobs.digest = journal.digest
    WHERE spent <> '' AND run_id IN (SELECT id FROM runs WHERE project_id = :project) ORDER BY at"""
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


class _Told(Struct):
    spec: str = ""


class _Options(Struct):
    loop: _Told = msgspec.field(default_factory=_Told)


class _Report(Struct, rename="camel"):
    attempt_dir: str = ""


def calls_of(store: Store, project: str) -> list[Call]:
    """All known calls of the project's runs, the oldest first. Checks are left out, because they cost only time."""
    places = {row["id"]: _place(row) for row in store.read(_RUNS, project=project)}
    rows = store.read(_CALLS, project=project)
    numbers = {(row["run_id"], parse_key(row["key"]).iteration): _number(row) for row in rows if row["body"]}
    calls = [_call(row, places, numbers) for row in rows]
    return [call for call in calls if call.spent.tokens.total or call.spent.usd]


def _call(row: Found, places: dict[str, _Place], numbers: dict[tuple[str, int], int]) -> Call:
    spent = msgspec.json.decode(row["spent"], type=Spent)
    above = next((each for each in family(row["run_id"]) if places.get(each, _Place()).spec), "")
    place = places.get(above, _Place())
    own = parse_key(row["key"]).iteration if above == row["run_id"] else 0
    number = numbers.get((row["run_id"], own)) or own
    return Call(row["run_id"], row["at"], spent, place.spec, place.task, place.role, number)


def _number(row: Found) -> int:
    """The iteration's number, from the attempt's folder, which is numbered over all runs of the task."""
    folder = msgspec.json.decode(row["body"], type=_Report).attempt_dir
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
