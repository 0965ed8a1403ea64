"""What ran, why it stopped, and what each check saw.

Everything is read from what was stored, and nothing from today's recipes, settings or actions: a run that this ralph
could not drive can still be shown.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from ralph.app.runs.named import named_run
from ralph.model.errors import ConfigError
from ralph.model.rows import Row, iteration_in
from ralph.model.runs import Run
from ralph.store.history import options_of_parts, rows_of_parts
from ralph.store.projects import find_project, projects_by_id
from ralph.store.runs import get_run, list_runs, tree_of
from ralph.store.sql import Store
from ralph.store.streams import about_stream

ANNOUNCED = ("head", "step", "busy")
"""The marks of lines that are shown only while an action runs."""
ENDS = ("ended", "failed")


class Step(Struct):
    """One attempt at one action. A read has only an end, and a killed action only a beginning."""

    begun: Row | None = None
    end: Row | None = None

    @property
    def first(self) -> Row:
        row = self.begun or self.end
        assert row  # noqa: S101 - a step is made of a row
        return row

    @property
    def line(self) -> str:
        """The line to show once it has ended; empty if there is nothing to say."""
        said = self.end.line if self.end else ""
        return said or (self.begun.line if self.begun and self.begun.mark not in ANNOUNCED else "")


class IterationAttempt(Struct):
    """One attempt at an iteration: the agent's work, and everything that was seen of it."""

    number: int
    attempt: int
    steps: list[Step]
    work: Row | None = None
    """The row that begins the agent's work. Without one, the steps are around the iterations, or around other runs."""

    @property
    def files(self) -> str:
        """The directory of what the agent's work left behind, relative to the project."""
        about = about_stream(self.work) if self.work else None
        return about.path.rpartition("/")[0] if about else ""


class Past(Struct):
    """A run with what is known about it, and its parts, each after the run that it is a part of."""

    run: Run
    attempts: list[IterationAttempt]
    taken: int
    """The row with which its last driver took it: what was begun before and has not ended was killed."""
    parts: list["Past"]
    doubts: tuple[str, ...] = ()
    """What a person must look at although the run is verified."""
    options: bytes = b""
    """The stored options, if they were asked for."""

    def is_under_way(self, step: Step) -> bool:
        return self.run.is_alive and step.end is None and step.first.n > self.taken


class Whole(Struct, frozen=True):
    """How many rows of journals were checked and found unchanged."""

    runs: int
    rows: int


def runs(store: Store, project: Path | None, limit: int | None) -> list[Run]:
    """The runs, the newest first, of one project or of all; parents before their parts."""
    if project is None:
        return _parents_first(store, list_runs(store, limit=limit), limit)
    known = find_project(store, project)
    return _parents_first(store, list_runs(store, project=known.id, limit=limit), limit) if known else []


def _parents_first(store: Store, newest: list[Run], limit: int | None) -> list[Run]:
    """The runs, each followed by its parts, the oldest first. A parent that is too old for the list is added."""
    known = {run.id: run for run in newest}
    for run in newest:
        above = run
        while above.is_part and above.parent_id and above.parent_id not in known:
            parent = get_run(store, above.parent_id)
            if parent is None:
                break
            above = known[parent.id] = parent
    below: dict[str | None, list[Run]] = {}
    for run in sorted(known.values(), key=lambda each: (each.started_at, each.id)):
        if run.parent_id in known:
            below.setdefault(run.parent_id, []).append(run)
    tops = [run for run in known.values() if run.parent_id not in known]
    tops.sort(key=lambda each: each.started_at, reverse=True)
    return [run for top in tops for run in _in_order(top, below)][:limit]


def chosen_run(store: Store, name: str | None, project: Path) -> Run:
    """The run of this name, or the latest one of the project; never a part without its whole."""
    if name:
        return named_run(store, project, name)
    latest = runs(store, project, 1)
    if not latest:
        raise ConfigError("nothing has run in this project yet.", 'Start: ralph run -p "..."')
    run = latest[0]
    while run.is_part and run.parent_id and (above := get_run(store, run.parent_id)):
        run = above
    return run


def past_of(store: Store, run: Run, *, bodies: bool) -> Past:
    """The past of a run. `bodies`: with all questions and answers, and not only the lines about them."""
    rows: dict[str, list[Row]] = {}
    for row in rows_of_parts(store, run.id, "all" if bodies else "lines"):
        rows.setdefault(row.run_id, []).append(row)
    options = options_of_parts(store, run.id) if bodies else {}
    whole, *parts = (_past(each, rows.get(each.id, [])) for each in with_parts(store, run))
    for past in (whole, *parts):
        past.options = options.get(past.run.id, b"")
    whole.parts = parts
    return whole


def with_parts(store: Store, run: Run) -> list[Run]:
    """The run, then its parts, each followed by its own parts. Runs that agents started are not included."""
    found = tree_of(store, run.id)
    below: dict[str | None, list[Run]] = {}
    for each in found:
        if each.is_part and each.id != run.id:
            below.setdefault(each.parent_id, []).append(each)
    return list(_in_order(next((each for each in found if each.id == run.id), run), below))


def check_journals(store: Store, run: Run) -> Whole:
    """Check the journals. It raises `Tampered` if a row of the run or of its parts was changed."""
    # It is imported here: reading a run needs no part of the store for drivers.
    from ralph.store.journal import check_chain

    counted = [check_chain(store, each.id) for each in with_parts(store, run)]
    return Whole(len(counted), sum(counted))


def project_names(store: Store) -> dict[str, str]:
    """The names of projects for people: the path on this machine, or else the id."""
    return {each.id: each.path or each.id for each in projects_by_id(store).values()}


def attempts(rows: Iterable[Row]) -> list[IterationAttempt]:
    """The attempts in the order in which they began. A new attempt begins whenever the agent's work is begun again."""
    made: list[IterationAttempt] = []
    latest: dict[int, IterationAttempt] = {}
    open_steps: dict[tuple[str, int], Step] = {}
    for row in rows:
        work = None
        if row.what == "begun":
            step = open_steps[row.key, row.attempt] = Step(row)
            work = row if row.mark == "head" else None
        elif row.what not in ENDS:
            continue
        elif open_steps and (begun := open_steps.pop((row.key, row.attempt), None)):
            begun.end = row
            continue
        else:
            step = Step(None, row)
        number = iteration_in(row.key)
        now = latest.get(number)
        if now is None or (work and now.work):
            now = latest[number] = IterationAttempt(number, now.attempt + 1 if now else 1, [])
            made.append(now)
        if work:
            now.work = work
        now.steps.append(step)
    return made


def _past(run: Run, rows: list[Row]) -> Past:
    latest = {row.what: row for row in rows if not row.key}
    taken, closed = latest.get("taken"), latest.get("closed")
    return Past(run, attempts(rows), taken.n if taken else 0, [], _doubts(closed) if closed else ())


def _doubts(closed: Row) -> tuple[str, ...]:
    """What the latest verdict leaves for a person to look at."""
    if b'"doubts"' not in closed.body:
        return ()
    return tuple(msgspec.json.decode(closed.body).get("doubts", ()))


def _in_order(run: Run, below: dict[str | None, list[Run]]) -> Iterable[Run]:
    yield run
    for part in below.get(run.id, []):
        yield from _in_order(part, below)
