"""`ralph cancel`: stop a run and everything that it started."""

from typing import TYPE_CHECKING

import click

from ralph.cli.durations import duration
from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.app.runs.cancel import Outcome
    from ralph.model.runs import Run


@click.command("cancel")
@click.argument("run", metavar="[RUN|TASK]", required=False)
@click.option("--now", is_flag=True, help="Do not wait for the run to stop by itself.")
@click.option(
    "--grace", type=duration, default="10s", show_default=True, help="The time that it has to stop by itself."
)
def command(run: str | None, now: bool, grace: float) -> int:
    """Stop RUN, the run of TASK, or the active run of this project, and the runs that its agents started.

    ralph tells each run to stop; the run ends its agent at once. If a process does not react within the grace period,
    ralph ends it with all its child processes. A cancelled run cannot be resumed; `ralph retry` starts it from the
    beginning.

    \b
    ralph cancel
    ralph cancel TASK-001 --now
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.cancel import cancel
    from ralph.app.runs.named import run_to_cancel
    from ralph.cli.stores import opened_store

    def told(runs: "list[Run]") -> None:
        click.echo(f"Stopping {', '.join(each.id for each in runs)} ...", err=True)

    with opened_store() as store:
        outcomes = cancel(store, run_to_cancel(store, here(), run).id, grace=0.0 if now else grace, told=told)
    for outcome in outcomes:
        click.echo(_line(outcome), err=outcome.how == "unheard")
    return 9 if any(outcome.how == "unheard" for outcome in outcomes) else 0


def _line(outcome: "Outcome") -> str:
    run = outcome.run
    if outcome.how == "over":
        return f"{run.id} had already ended: {run.verdict}, {run.reason}"
    if outcome.how == "unheard":
        return _unheard(run)
    if run.verdict != "cancelled":
        return f"{run.id} ended before it could be cancelled: {run.verdict}, {run.reason}"
    how = {
        "asked": "it stopped when asked",
        "forced": "it was stopped by force",
        "gone": "no process was driving it",
    }
    again = "" if run.is_part else f" Start it from the beginning: ralph retry {run.id}"
    return f"{run.id} is cancelled: {how[outcome.how]}.{again}"


def _unheard(run: "Run") -> str:
    where = f"on {run.owner.host}, as process {run.owner.pid} there" if run.owner else "elsewhere"
    return (
        f"ralph: run {run.id} has not reacted, and no signal reaches it: it runs {where}."
        f" It stops as soon as it reads the request. See: ralph status {run.id}"
    )
