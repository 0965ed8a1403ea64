"""`ralph spec preview`: what a run of a spec would do, in which order, and what it would take."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.app.tasks.preview import Estimate, ExecutionPlan, PlannedTask

WIDTH = 9


@click.command("preview")
@click.argument("spec")
@click.option(
    "--workers",
    "--parallel",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Estimate the time for N tasks at once.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(spec: str, workers: int, as_json: bool) -> None:
    """Print the execution plan of SPEC without running anything.

    It shows the waves of open tasks that can run at once, the critical path, and the expected iterations, time and
    cost, from the completed tasks of this project.

    \b
    ralph spec preview shop
    ralph spec preview shop --workers 3 --json
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.preview import preview
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        found = preview(store, here(), spec, workers=workers)
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(found)
        return
    for line in _lines(found):
        click.echo(line)


def _lines(plan: "ExecutionPlan") -> Iterator[str]:
    from ralph.cli.saying import safe_text
    from ralph.model.words import count

    number = sum(len(wave) for wave in plan.waves)
    facts = [f"{count(number, 'open task')} in {count(len(plan.waves), 'wave')}"]
    facts += [f"{plan.completed} completed or skipped"] if plan.completed else []
    yield safe_text(f"{plan.id}  {plan.title} · {' · '.join(facts)}")
    for place, wave in enumerate(plan.waves, 1):
        for task in wave:
            head = f"wave {place}" if task is wave[0] else ""
            yield safe_text(f"{head:<{WIDTH}}{_task(task)}")
    for each in plan.waiting:
        yield f"{each.id} waits for {each.on} of spec {each.spec_id}. Run that first: ralph spec run {each.spec_id}"
    if number:
        yield f"critical path: {' -> '.join(plan.critical_path)}"
        yield from _estimate(plan)


def _task(task: "PlannedTask") -> str:
    after = f" · after {', '.join(task.dependencies)}" if task.dependencies else ""
    return f"{task.id}  {task.title}{after}"


def _estimate(plan: "ExecutionPlan") -> Iterator[str]:
    from ralph.model.words import count, duration

    if plan.total is None or plan.shortest_seconds is None:
        yield "estimate: none, because no task of this project is completed yet"
        return
    yield f"estimate: {_amounts(plan.total)} with {count(plan.workers, 'worker')}"
    yield f"  along the critical path {duration(plan.shortest_seconds)}: more workers cannot make it shorter"
    seen = {(task.source, task.samples, task.estimate) for wave in plan.waves for task in wave if task.estimate}
    for source, samples, mean in sorted(seen, key=lambda each: each[1]):
        if mean:
            yield f"  from {count(samples, 'completed task')} of this {source}, on average {_amounts(mean)}"


def _amounts(estimate: "Estimate") -> str:
    from ralph.model.words import dollars, duration

    cost = "cost unknown" if estimate.cost_usd is None else dollars(estimate.cost_usd)
    return f"{estimate.iterations:g} iterations, {duration(estimate.seconds)}, {cost}"
