"""`ralph task followup`: a new task from what a stage left over."""

from pathlib import Path

import click


@click.command("followup")
@click.argument("task_id", metavar="ID")
@click.argument("title", required=False)
@click.option("--id", "new_id", metavar="NEW", help="The new task's id.  [default: ID-2, or the next that is free]")
@click.option("--outcome", metavar="TEXT", help="The measurable outcome.  [default: that of ID]")
@click.option(
    "--acceptance",
    metavar="TEXT",
    multiple=True,
    help="A requirement; may be repeated.  [default: those of ID that have not been verified]",
)
def command(
    task_id: str, title: str | None, new_id: str | None, outcome: str | None, acceptance: tuple[str, ...]
) -> None:
    """Write a new task of the same spec, with the same criteria for its roles, from what was left over of ID.

    It waits for ID if that is completed, and otherwise for what ID waits for.
    """
    from ralph.app.task_followup import Wanted, follow_up
    from ralph.app.tasks import warnings_of

    task = follow_up(Path.cwd(), task_id, Wanted(title, new_id, outcome, acceptance))
    for warning in warnings_of(task):
        click.echo(f"ralph: {warning}.", err=True)
    click.echo(f"Created {task.id}. See it: ralph task show {task.id}")
