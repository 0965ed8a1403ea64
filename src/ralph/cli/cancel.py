"""`ralph cancel`: stop a run and all that it started."""

from typing import TYPE_CHECKING

import click

from ralph.cli.durations import duration

if TYPE_CHECKING:
    from ralph.app.cancel import Outcome
    from ralph.model.runs import Run


@click.command("cancel")
@click.argument("run")
@click.option("--now", is_flag=True, help="Do not wait for what the agent is doing.")
@click.option(
    "--grace", type=duration, default="10s", show_default=True, help="How long it may take to stop by itself."
)
def command(run: str, now: bool, grace: float) -> None:
    """Stop RUN (its id, or the beginning of it) and the runs that its agents started.

    Each is asked to stop once it has finished what it is doing. One that still lives after the grace period is stopped
    at once, with its agent; what does not hear is killed. `ralph resume` can go on with any of them.
    """
    from ralph.app.cancel import cancel

    grace = 0.0 if now else grace

    def told(runs: "list[Run]") -> None:
        click.echo(f"Stopping {', '.join(each.id for each in runs)} ...", err=True)

    for outcome in cancel(run, grace=grace, told=told):
        click.echo(_line(outcome))


def _line(outcome: "Outcome") -> str:
    run = outcome.run
    if outcome.how == "over":
        return f"{run.id} had ended before: {run.verdict or run.status}, {run.reason}"
    if run.verdict != "cancelled":
        return f"{run.id} ended before it could be cancelled: {run.verdict}, {run.reason}"
    how = {
        "asked": "it stopped when asked",
        "forced": "it was stopped by force",
        "gone": "its process was gone already",
    }
    return f"{run.id} is cancelled: {how[outcome.how]}. Continue it: ralph resume {run.id}"
