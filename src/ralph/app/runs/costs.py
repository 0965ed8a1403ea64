"""What was spent, summed up by spec, task, iteration and day: dollars if they are known, tokens always."""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from ralph.app.moments import since_moment
from ralph.model.errors import ConfigError
from ralph.store.costs import Call, calls_of
from ralph.store.projects import known_project
from ralph.store.sql import Store
from ralph.store.tasks import find_spec

CENTS = 6
"""How many decimals of a dollar are kept."""
Key = TypeVar("Key")


class Amount(Struct, frozen=True, kw_only=True, rename="camel"):
    cost_usd: float | None
    """The cost; None if nobody reported any of it."""
    tokens: int
    tokens_input: int
    tokens_output: int
    tokens_cache_read: int
    tokens_cache_write: int
    tokens_without_price: int
    """The tokens of calls without a known cost, which `costUsd` therefore lacks."""


class IterationCost(Amount, frozen=True, kw_only=True, rename="camel"):
    run_id: str
    role: str
    """The role of the pipeline's stage; empty for a chunk."""
    iteration: int
    """The iteration; 0 before the first one, or for a run that an agent started."""


class TaskCost(Amount, frozen=True, kw_only=True, rename="camel"):
    id: str
    iterations: list[IterationCost]


class SpecCost(Amount, frozen=True, kw_only=True, rename="camel"):
    id: str
    chunks: list[TaskCost]
    whole: Amount
    """The amount for the spec as a whole, such as its final review."""


class DayCost(Amount, frozen=True, kw_only=True, rename="camel"):
    day: str
    """The local day."""


class Costs(Struct, frozen=True, kw_only=True, rename="camel"):
    total: Amount
    specs: list[SpecCost]
    elsewhere: Amount
    """The amount of runs without a spec."""
    days: list[DayCost]


def costs(store: Store, project: Path, spec: str | None = None, since: str | None = None) -> Costs:
    name = known_project(store, project)
    begin = since_moment(since) if since else 0.0
    known = calls_of(store, name)
    if spec is not None:
        known = [call for call in known if call.spec == spec]
        # Costs are reported even after the spec is gone.
        if not known and find_spec(store, name, spec) is None:
            raise ConfigError(f"there is no spec {spec!r} here.", "See them: ralph spec list")
    return added_up([call for call in known if call.at >= begin])


def added_up(calls: Sequence[Call]) -> Costs:
    specs = _grouped((call for call in calls if call.spec), lambda call: call.spec)
    days = _grouped(calls, lambda call: time.strftime("%Y-%m-%d", time.localtime(call.at)))
    return Costs(
        total=Amount(**_sums(calls)),
        specs=[_spec(name, own) for name, own in sorted(specs.items())],
        elsewhere=Amount(**_sums([call for call in calls if not call.spec])),
        days=[DayCost(**_sums(own), day=day) for day, own in sorted(days.items())],
    )


def _spec(name: str, calls: Sequence[Call]) -> SpecCost:
    tasks = _grouped((call for call in calls if call.task), lambda call: call.task)
    whole = Amount(**_sums([call for call in calls if not call.task]))
    chunks = [_task(task, own) for task, own in tasks.items()]
    return SpecCost(**_sums(calls), id=name, chunks=chunks, whole=whole)


def _task(name: str, calls: Sequence[Call]) -> TaskCost:
    found = _grouped(calls, lambda call: (call.run_id, call.role, call.iteration))
    iterations = [
        IterationCost(**_sums(own), run_id=run_id, role=role, iteration=number)
        for (run_id, role, number), own in found.items()
    ]
    return TaskCost(**_sums(calls), id=name, iterations=iterations)


def _sums(calls: Sequence[Call]) -> dict[str, Any]:
    # Not with `Spent`'s own sum, which makes two objects for each call.
    tokens = [call.spent.tokens for call in calls]
    known = [call.spent.usd for call in calls if call.spent.usd is not None]
    return {
        "cost_usd": round(sum(known), CENTS) if known else None,
        "tokens": sum(each.total for each in tokens),
        "tokens_input": sum(each.input for each in tokens),
        "tokens_output": sum(each.output for each in tokens),
        "tokens_cache_read": sum(each.cache_read for each in tokens),
        "tokens_cache_write": sum(each.cache_write for each in tokens),
        "tokens_without_price": sum(call.spent.tokens.total for call in calls if call.spent.usd is None),
    }


def _grouped(calls: Iterable[Call], key: Callable[[Call], Key]) -> dict[Key, list[Call]]:
    found: dict[Key, list[Call]] = {}
    for call in calls:
        found.setdefault(key(call), []).append(call)
    return found
