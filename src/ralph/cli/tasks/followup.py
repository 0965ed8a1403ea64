"""`ralph task followup`: a new task from what a stage left open."""

import click

from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("followup")
@click.argument("task_id", metavar="ID")
@click.argument("title", required=False)
@click.option("--id", "new_id", metavar="NEW", help="The new task's id.  [default: ID-2, or the next free one]")
@click.option("--outcome", metavar="TEXT", help="The measurable outcome.  [default: that of ID]")
@click.option(
    "--acceptance",
    metavar="TEXT",
    multiple=True,
    help="A requirement; repeatable.  [default: the unverified ones of ID]",
)
def command(
    task_id: str, title: str | None, new_id: str | None, outcome: str | None, acceptance: tuple[str, ...]
) -> None:
    """Create a new task with the unverified criteria of ID, in the same spec, with the same criteria for its roles.

    It depends on ID if that is completed, and otherwise on the dependencies of ID.

    \b
    ralph task followup TASK-001
    ralph task followup TASK-001 "Refuse expired tokens" --id TASK-002
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.followup import Wanted, follow_up
    from ralph.app.tasks.tasks import warnings_of
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        task = follow_up(store, here(), task_id, Wanted(title, new_id, outcome, acceptance))
    for warning in warnings_of(task):
        say(f"ralph: {warning}.", err=True)
    say(f"Created {task.id}. See it: ralph task show {task.id}")
