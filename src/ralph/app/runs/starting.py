"""The use-cases around a run: store it, continue it, start it again. Driving it is a separate step."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph.app.inside_run import require_own_child
from ralph.app.runs.history import chosen_run
from ralph.app.runs.named import named_run, whole_run
from ralph.app.trusted import refuse_changed
from ralph.config.schema import Settings
from ralph.loop.kinds import kind_of
from ralph.loop.plan import Plan, new_run, stored_plan
from ralph.loop.trust import seal
from ralph.model.errors import ConfigError
from ralph.model.runs import Run
from ralph.model.verdicts import next_step
from ralph.model.words import count
from ralph.store.control import latest, saying
from ralph.store.journal import check_chain
from ralph.store.projects import find_project, project_at, standing_folder
from ralph.store.runs import add_run, exists, list_runs, new_run_id, spent_by, tree_of, whole
from ralph.store.sql import Sql, Store
from ralph.store.state_dir import StateDir

FINAL = ("verified", "cancelled", "imported")
"""The verdicts after which nobody continues a run."""
LOOKED_THROUGH = 200
"""How many of a project's latest runs are searched for one to continue."""


class Raised(Struct, frozen=True, omit_defaults=True):
    """New totals for the limits of a run that is continued."""

    iterations: int | None = None
    usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None


class GoingOn(Struct, frozen=True):
    run: Run
    plan: Plan
    has_ended: bool
    """Whether it had ended, and is continued nevertheless."""
    is_alive: bool = False
    """Whether another process drives it: it was only paused, and was told to continue."""


@contextmanager
def stored(store: Store, project: Path, plan: Plan, parent: str | None = None) -> Generator[str]:
    """The id of a new run of this plan. While it is driven here, a second loop in the same place is refused."""
    with StateDir(project).locked(plan.kind.lock(plan.loop)):
        yield store_run(store, project, plan, parent)


def store_run(store: Store, project: Path, plan: Plan, parent: str | None = None) -> str:
    """Store the run. `parent` is the run whose agent starts it; one that this store does not know is ignored.

    It raises a ConfigError if something that runs here trust was changed during a run, and nobody has accepted it.
    """
    known = parent if parent and exists(store, parent) else None
    run_id = new_run_id(known)
    if plan.kind.asks_agents:
        _require_fallback(plan.settings)
    name = project_at(store, project).id
    refuse_changed(store, name, project)
    trusted = replace(plan, seals=seal(store, name, project, plan.kind.tasks(plan.loop)))
    add_run(store, new_run(trusted, run_id, name))
    return run_id


def _require_fallback(settings: Settings) -> None:
    """Require the agent that takes over while a quota is used up: at that moment nobody is there to install it."""
    if named := settings.quota.fallback_agent:
        from ralph.agents.registry import find
        from ralph.app.tasks.judges import require_agent

        hint = "Install it, or correct quota.fallbackAgent."
        require_agent(find(settings, named), "which quota.fallbackAgent names", hint)


def refuse_second(project: Path, plan: Plan) -> None:
    """Raise a ConfigError with the pid if such a loop already runs here."""
    with StateDir(project).locked(plan.kind.lock(plan.loop)):
        return


def plan_of(store: Store, run: Run) -> Plan:
    """The plan of a run that was stored before, with the settings of that time."""
    [row] = store.read("SELECT options FROM runs WHERE id = :id", id=run.id)
    return stored_plan(run.id, run.recipe, bytes(row["options"]))


def go_on(store: Store, project: Path, run_id: str | None, raised: Raised) -> GoingOn:
    """The run to continue: this one, or the latest one of the project that can continue. New limits are recorded."""
    run = whole(store, named_run(store, project, run_id)) if run_id else _latest(store, project)
    require_own_child(run.id)
    if _is_held(store, run):
        _require_more(store, run, raised)
        granted = [_granted(run, raised)] if raised != Raised() else []
        store.write(saying(run.id, "go"), *granted, sync=True)
        return GoingOn(run, plan_of(store, run), has_ended=False, is_alive=True)
    if run.is_alive:
        pid = run.owner.pid if run.owner else "unknown"
        raise ConfigError(f"run {run.id} is running (pid {pid}).", f"Watch it: ralph logs -f {run.id}")
    has_ended = run.status == "ended"
    if has_ended and run.verdict in FINAL:
        raise ConfigError(
            f"run {run.id} has ended: {run.reason}.", f"Start it again from the beginning: ralph retry {run.id}"
        )
    standing_folder(store, run.project)
    _require_more(store, run, raised)
    words = [saying(run.id, "go")] if (word := latest(store, run.id)) and word.said != "go" else []
    if has_ended or raised != Raised():
        words.append(_granted(run, raised))
    if words:
        store.write(*words, sync=True)
    return GoingOn(run, plan_of(store, run), has_ended)


def _granted(run: Run, raised: Raised) -> Sql:
    return saying(run.id, "grant", msgspec.json.encode(raised).decode())


def again(store: Store, project: Path, name: str | None) -> tuple[Plan, Path]:
    """The plan of the named run, or of the latest one here, to start it from the beginning, and its folder.

    It raises `Tampered` if the stored run was changed: the change could decide what judges the next run. The retry is
    recorded in the run, because it counts as an intervention of a person.
    """
    instead = f"Run it again: ralph task run {name}"
    run = whole_run(store, project, name, instead) if name else chosen_run(store, None, project)
    check_chain(store, run.id)
    plan, folder = plan_of(store, run), standing_folder(store, run.project)
    store.write(saying(run.id, "retry"))
    return plan, folder


def _latest(store: Store, project: Path) -> Run:
    known = find_project(store, project)
    found = list_runs(store, project=known.id, limit=LOOKED_THROUGH) if known else []
    for run in found:
        if not run.is_part and _can_go_on(store, run) and kind_of(run.recipe).is_meant_unnamed:
            return run
    raise ConfigError("no run of this project can continue.", "See what ran: ralph runs")


def _can_go_on(store: Store, run: Run) -> bool:
    if run.is_live:
        return _is_held(store, run)
    return not (run.status == "ended" and run.verdict in FINAL)


def _is_held(store: Store, run: Run) -> bool:
    """Whether the run is active, and was told to pause."""
    return run.is_alive and (word := latest(store, run.id)) is not None and word.said == "pause"


def _require_more(store: Store, run: Run, raised: Raised) -> None:
    """Require that a limit that ended the run is raised, and that every new total is above what was used."""
    command = f"ralph resume {run.id}"
    if run.status == "ended" and run.verdict == "max_iterations" and raised.iterations is None:
        raise ConfigError(
            f"run {run.id} has used up its {count(run.iterations, run.unit)}.",
            f"Raise the limit: {command} -m {2 * max(1, run.iterations)}",
        )
    spent = spent_by(store, run.id)
    used = {"iterations": _iterations_at_limit(store, run), "usd": spent.usd or 0.0}
    used |= {"tokens": spent.tokens.total, "seconds": spent.seconds}
    flags = {"iterations": "-m", "usd": "--budget-usd", "tokens": "--budget-tokens", "seconds": "--budget-seconds"}
    if run.status == "ended" and run.verdict == "budget" and not _raises_budget(raised):
        raise ConfigError(f"run {run.id} has ended: {run.reason}.", next_step("budget", run.id, run.recipe, run.reason))
    for name, flag in flags.items():
        wanted = getattr(raised, name)
        if wanted is not None and wanted <= used[name]:
            raise ConfigError(
                f"{flag} {wanted:.10g} is the new total, but the run has already used {used[name]:.10g}.",
                "Give a larger number.",
            )
    _refuse_without_effect(store, run, raised, command)


def _iterations_at_limit(store: Store, run: Run) -> int:
    """How many iterations were made where the limit counts: in a run with parts, the most of those that ended by it."""
    parts = [each for each in tree_of(store, run.id) if each.is_part and each.id != run.id]
    if not parts:
        return run.iterations
    return max((each.iterations for each in parts if each.verdict == "max_iterations"), default=0)


def _refuse_without_effect(store: Store, run: Run, raised: Raised, command: str) -> None:
    """Refuse a total that raises nothing, so that nobody counts on it."""
    if raised.iterations and run.limit and raised.iterations <= run.limit:
        raise ConfigError(
            f"-m {raised.iterations} raises nothing: the limit is {count(run.limit, run.unit)}.",
            f"Continue up to that limit: {command}",
        )
    if not _raises_budget(raised):
        return
    budget = plan_of(store, run).settings.budget
    for name in ("usd", "tokens", "seconds"):
        wanted, limit = getattr(raised, name), getattr(budget, name)
        if wanted is not None and (limit is None or wanted <= limit):
            is_now = f"the budget is {limit:.10g}" if limit is not None else "the run has no such budget"
            raise ConfigError(
                f"--budget-{name} {wanted:.10g} raises nothing: {is_now}.", f"Continue without the flag: {command}"
            )


def _raises_budget(raised: Raised) -> bool:
    return any(value is not None for value in (raised.usd, raised.tokens, raised.seconds))
