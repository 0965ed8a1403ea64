"""Runs in the store: written first, then driven; listed, found, and asked for their status."""

import os
import time
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ralph.model.errors import ConfigError
from ralph.model.events import Tokens
from ralph.model.evidence import Spent
from ralph.model.runs import ALIVE, LIVE, Now, Run, RunStatus, family, parent_of, part_name
from ralph.store.owner import read_owner, status_now
from ralph.store.sql import Found, Sql, Store, Writer

LAST = "\U0010ffff"
LETTERS = 8
AT_ONCE = 200
"""How many trees one statement asks for."""
COLUMNS = (
    "id, recipe, project_id, is_part, task_id, label, unit, iteration_limit, agent, started_at, status, verdict,"
    " reason, proof, exit_code, iterations, ended_at, active_at, last_reason, doing, doing_iteration, doing_since,"
    " doing_until, owner, until"
)
BELOW = "(part.id = run.id OR part.id > run.id || '.' AND part.id < run.id || '/')"
"""The condition for a run and all below it: a range of ids."""
SPENT = f"""(SELECT sum(part.usd) FROM runs AS part WHERE {BELOW}) AS usd,
    (SELECT sum(part.tokens_input) FROM runs AS part WHERE {BELOW}) AS tokens_input,
    (SELECT sum(part.tokens_output) FROM runs AS part WHERE {BELOW}) AS tokens_output,
    (SELECT sum(part.tokens_cache_read) FROM runs AS part WHERE {BELOW}) AS tokens_cache_read,
    (SELECT sum(part.tokens_cache_write) FROM runs AS part WHERE {BELOW}) AS tokens_cache_write"""  # noqa: S608 - no value in it
_SELECT = f"SELECT {COLUMNS}, {SPENT} FROM runs AS run"  # noqa: S608 - no value in it
_AMOUNTS = ("usd", "tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write")
_SUMS = ", ".join(f"sum(part.{name}) AS {name}" for name in _AMOUNTS)
_BELOW_ONE = f"FROM runs AS run JOIN runs AS part ON {BELOW} WHERE run.id = :id GROUP BY run.id"
"""The parts of one run, read once and not once for each sum."""
_OWN = f"SELECT {COLUMNS}, {', '.join(_AMOUNTS)} FROM runs"  # noqa: S608 - no value in it
_INSERT = """INSERT INTO runs (id, recipe, project_id, is_part, task_id, options, label, unit, iteration_limit, agent,
    started_at, status, reason, proof, iterations, active_at, seconds, tokens_input, tokens_output, tokens_cache_read,
    tokens_cache_write, last_reason, doing, doing_iteration, doing_since, until)
    VALUES (:id, :recipe, :project_id, :is_part, :task_id, :options, :label, :unit, :iteration_limit, :agent,
    :now, 'queued', '', '', 0, :now, 0, 0, 0, 0, 0, '', '', 0, 0, 0)"""


class NewRun(Struct, frozen=True, kw_only=True):
    """Everything that a run is stored with. `options` holds what is needed to drive it."""

    id: str
    recipe: str
    project: str
    options: bytes
    is_part: bool = False
    task_id: str | None = None
    label: str = ""
    unit: str = "iteration"
    limit: int | None = None
    agent: str = ""


def new_run_id(parent: str | None = None) -> str:
    """A new id for a run that a person starts, or an agent below `parent`."""
    name = os.urandom(LETTERS // 2).hex()
    return f"{parent}.{name}" if parent else name


def part_id(parent: str, name: str) -> str:
    return f"{parent}.{part_name(name)}"


def add_run(store: Writer, run: NewRun, *, if_missing: bool = False) -> None:
    """Add a run. With `if_missing`, a repeat after a kill finds the existing run."""
    values = {
        "id": run.id,
        "recipe": run.recipe,
        "project_id": run.project,
        "is_part": int(run.is_part),
        "task_id": run.task_id,
        "options": run.options,
        "label": run.label,
        "unit": run.unit,
        "iteration_limit": run.limit,
        "agent": run.agent,
        "now": time.time(),
    }
    text = f"{_INSERT} ON CONFLICT (id) DO NOTHING" if if_missing else _INSERT
    store.write(Sql(text, values), sync=True)


def get_run(store: Store, run_id: str) -> Run | None:
    own = ", ".join(f"run.{name}" for name in COLUMNS.split(", "))
    rows = store.tuples(f"SELECT {own}, {_SUMS} {_BELOW_ONE}", id=run_id)
    return _run(rows[0]) if rows else None


def options_of(store: Store, run_id: str) -> Any:
    [row] = store.read("SELECT options FROM runs WHERE id = :id", id=run_id)
    return msgspec.json.decode(row["options"])


def find_run(store: Store, prefix: str) -> Run:
    """The run whose id begins with `prefix`; if there are several, the one that all others are below."""
    run = get_run(store, find_run_id(store, prefix))
    if run is None:
        raise _not_found("there is no run", prefix)
    return run


def find_run_id(store: Store, prefix: str) -> str:
    """The id of the run that `find_run` finds. It costs the same for a run with thousands of parts."""
    first = prefix.lower()
    found = _beginning_with(store, first) if first.isascii() and first else []
    if len(found) == 1:
        return found[0]
    raise _not_found("several runs begin with" if found else "there is no run", prefix)


def _not_found(problem: str, prefix: str) -> ConfigError:
    return ConfigError(f"{problem} {prefix!r}.", "See the list: ralph runs --all")


def _beginning_with(store: Store, prefix: str) -> list[str]:
    """At most two ids, neither of which is below the other. Ids of parts may have capitals, so case is ignored."""
    text = "SELECT id FROM runs WHERE {} ORDER BY length(id), id LIMIT 2"
    if "." not in prefix:
        # This is a range of the index; LIKE would read every run.
        inside = "id BETWEEN :first AND :last AND id NOT LIKE '%.%'"
        tops = store.read(text.format(inside), first=prefix, last=prefix + LAST)
        return [row["id"] for row in tops]
    top = prefix.partition(".")[0]
    inside = "id BETWEEN :first AND :last AND lower(substr(id, 1, :size)) = :prefix"
    rows = store.read(text.format(inside), first=top, last=top + LAST, size=len(prefix), prefix=prefix)
    ids = [row["id"] for row in rows]
    return ids[:1] if len(ids) > 1 and ids[1].startswith(f"{ids[0]}.") else ids


def list_runs(
    store: Store, *, project: str | None = None, limit: int | None = None, tops: bool = False, since: float = 0.0
) -> list[Run]:
    """The runs, the newest first; `tops` gives only those without a run above them."""
    wanted = ["run.started_at >= :since"]
    wanted += ["run.project_id = :project"] if project is not None else []
    wanted += ["run.id NOT LIKE '%.%'"] if tops else []
    text = f"{_SELECT} WHERE {' AND '.join(wanted)} ORDER BY run.started_at DESC LIMIT :most"
    values: dict[str, Any] = {} if project is None else {"project": project}
    return [_run(row) for row in store.tuples(text, since=since, most=limit or 2**31 - 1, **values)]


def live_runs(store: Store, project: str | None = None) -> list[Run]:
    """The runs that are active, the oldest first. A run whose process died is not among them."""
    statuses = ", ".join(f"'{status}'" for status in LIVE)
    where = f"run.status IN ({statuses})" + ("" if project is None else " AND run.project_id = :project")
    values: dict[str, Any] = {} if project is None else {"project": project}
    found = [_run(row) for row in store.tuples(f"{_SELECT} WHERE {where}", **values)]
    # They are sorted here: to sort in the query, SQLite would read all runs of the project.
    return sorted((run for run in found if run.is_live), key=lambda run: run.started_at)


def last_over(store: Store, project: str | None, *, live: int) -> Run | None:
    """The newest run that is not active, except for those that other runs (of the project) started."""
    ours, same = ("run.project_id = :project AND", "above.project_id = run.project_id AND") if project else ("", "")
    above = f"CASE WHEN length(run.id) > {LETTERS} THEN substr(run.id, 1, length(run.id) - {LETTERS + 1}) ELSE '' END"
    rows = store.read(
        f"SELECT id, status, owner, until FROM runs AS run WHERE {ours} run.is_part = 0"  # noqa: S608 - no value in it
        f" AND NOT EXISTS (SELECT 1 FROM runs AS above WHERE {same} above.id = {above})"
        " ORDER BY run.started_at DESC LIMIT :most",
        most=live + 1,
        **({"project": project} if project else {}),
    )
    found = next((row["id"] for row in rows if _status(row) not in LIVE), None)
    return get_run(store, found) if found else None


def tree_of(store: Store, run_id: str) -> list[Run]:
    """The run and all below it, the oldest first."""
    where = "id = :id OR id > :id || '.' AND id < :id || '/'"
    return _whole_trees(store.tuples(f"{_OWN} WHERE {where} ORDER BY started_at, id", id=run_id))


def forest_of(store: Store, ids: Sequence[str]) -> list[Run]:
    """The trees of several runs, the oldest first, in as few statements as their number allows."""
    known = set(ids)
    tops = [each for each in known if known.isdisjoint(family(each)[1:])]
    found: list[Run] = []
    for start in range(0, len(tops), AT_ONCE):
        names = {f"id{place}": each for place, each in enumerate(tops[start : start + AT_ONCE])}
        inside = " OR ".join(f"id = :{name} OR id > :{name} || '.' AND id < :{name} || '/'" for name in names)
        found += _whole_trees(store.tuples(f"{_OWN} WHERE {inside}", **names))
    return sorted(found, key=lambda run: (run.started_at, run.id))


def runs_of_task(store: Store, project: str, task_id: str) -> list[Run]:
    """All runs that worked on the task, including parts, the oldest first.

    Imported runs count as older than all runs that were made here, whenever they were imported.
    """
    where = "run.project_id = :project AND run.task_id = :task"
    order = "CASE WHEN run.verdict = 'imported' THEN 0 ELSE 1 END, run.started_at"
    rows = store.tuples(f"{_SELECT} WHERE {where} ORDER BY {order}", project=project, task=task_id)
    return [_run(row) for row in rows]


def runs_of_spec(store: Store, project: str, spec_id: str) -> list[Run]:
    """The runs of the whole spec, the oldest first."""
    return runs_labelled(store, project, "spec", spec_id)


def runs_labelled(store: Store, project: str, recipe: str, label: str) -> list[Run]:
    """The runs of a recipe with the same label, the oldest first."""
    where = "run.project_id = :project AND run.recipe = :recipe AND run.label = :label"
    rows = store.tuples(f"{_SELECT} WHERE {where} ORDER BY run.started_at", project=project, recipe=recipe, label=label)
    return [_run(row) for row in rows]


def iterations_before(store: Store, run_id: str) -> int:
    """How many iterations all other runs of the same role at the same task made."""
    rows = store.read(
        "SELECT sum(other.iterations) AS made FROM runs AS own JOIN runs AS other ON other.project_id = own.project_id"
        " AND other.recipe = own.recipe AND other.label = own.label AND other.task_id = own.task_id"
        " WHERE own.id = :id AND other.id <> own.id",
        id=run_id,
    )
    return rows[0]["made"] or 0


def runs_under_way(store: Store, project: str) -> dict[str, str]:
    """The tasks that are being worked on, each with its topmost run. A run that was killed does not count."""
    statuses = ", ".join(f"'{status}'" for status in ALIVE)
    rows = store.read(
        f"SELECT id, task_id, status, owner, until FROM runs WHERE status IN ({statuses}) AND project_id = :project"  # noqa: S608 - no value in it
        " AND task_id IS NOT NULL ORDER BY length(id) DESC",
        project=project,
    )
    return {row["task_id"]: row["id"] for row in rows if _status(row) in ALIVE}


def live_children(store: Store, run_id: str) -> int:
    """How many runs that this run's agents started are still active."""
    rows = store.read(
        "SELECT status, owner, until FROM runs WHERE id > :id || '.' AND id < :id || '/' AND is_part = 0", id=run_id
    )
    return sum(_status(row) in ALIVE for row in rows)


def spent_by(store: Store, run_id: str) -> Spent:
    """What the run and all runs below it spent so far."""
    [(usd, *tokens, seconds)] = store.tuples(f"SELECT {_SUMS}, sum(part.seconds) {_BELOW_ONE}", id=run_id)
    return Spent(usd, _tokens(*tokens), seconds or 0.0)


def whole(store: Store, run: Run) -> Run:
    """The run that this one is a part of, or the run itself."""
    while run.is_part and (parent := get_run(store, parent_of(run.id) or "")):
        run = parent
    return run


def was_started_by_agent(store: Store, run_id: str) -> bool:
    """Whether an agent inside another run started this run, or a run that it is a part of."""
    below = {f"id{place}": each for place, each in enumerate(family(run_id)) if parent_of(each)}
    if not below:
        return False
    wanted = ", ".join(f":{name}" for name in below)
    text = f"SELECT 1 AS there FROM runs WHERE is_part = 0 AND id IN ({wanted})"  # noqa: S608 - no value in it
    return bool(store.read(text, **below))


def exists(store: Store, run_id: str) -> bool:
    return bool(store.read("SELECT 1 AS there FROM runs WHERE id = :id", id=run_id))


def _run(row: tuple[Any, ...]) -> Run:
    """The run in a row: `COLUMNS` in their order, then `_AMOUNTS`. There may be thousands of them, so they are read
    without names.
    """
    # fmt: off
    (
        run_id, recipe, project, is_part, task_id, label, unit, limit, agent, started_at, stored, verdict,
        reason, proof, exit_code, iterations, ended_at, active_at, last_reason, doing, doing_iteration, doing_since,
        doing_until, owner_text, until, usd, *tokens,
    ) = row
    # fmt: on
    owner = read_owner(owner_text)
    status = status_now(stored, owner, until)
    return Run(
        id=run_id,
        recipe=recipe,
        project=project,
        status=status,
        is_part=bool(is_part),
        task_id=task_id,
        label=label,
        unit=unit,
        limit=limit,
        agent=agent,
        verdict=verdict,
        reason=reason,
        proof=proof,
        exit_code=exit_code,
        iterations=iterations,
        started_at=started_at,
        ended_at=ended_at,
        active_at=active_at,
        cost_usd=usd,
        tokens=_tokens(*tokens),
        last_reason=last_reason,
        now=Now(doing, doing_iteration, doing_since, doing_until) if doing and status in LIVE else None,
        owner=owner,
    )


def _whole_trees(rows: list[tuple[Any, ...]]) -> list[Run]:
    """The runs of whole trees, with what the runs below each have spent added to it. For thousands of runs the database
    would have to read each as many times as it is deep.
    """
    own = -len(_AMOUNTS)
    spent = {row[0]: list(row[own:]) for row in rows}
    for run_id in sorted(spent, key=len, reverse=True):
        if above := spent.get(parent_of(run_id) or ""):
            both = zip(above, spent[run_id], strict=True)
            above[:] = [one if other is None else (one or 0) + other for one, other in both]
    return [_run((*row[:own], *spent[row[0]])) for row in rows]


def _status(row: Found) -> RunStatus:
    return status_now(row["status"], read_owner(row["owner"]), row["until"])


def _tokens(*amounts: Any) -> Tokens:
    # A sum may be None, and on Postgres it is not a plain int.
    return Tokens(*[int(amount or 0) for amount in amounts])
