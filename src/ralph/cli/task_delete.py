"""`ralph task delete`."""

from pathlib import Path

import click


@click.command("delete")
@click.argument("task_id", metavar="ID")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing.")
def command(task_id: str, yes: bool) -> None:
    """Delete the task ID. Its runs stay: ralph runs gc forgets those."""
    from ralph.app.tasks import find_task, remove_task

    task = find_task(Path.cwd(), task_id)
    confirm(f"Delete {task.id} ({task.title})?", yes=yes)
    remove_task(Path.cwd(), task.id)
    click.echo(f"Deleted {task.id}.")


def confirm(question: str, *, yes: bool) -> None:
    import sys

    from ralph.model.errors import ConfigError

    if yes:
        return
    if not sys.stdin or not sys.stdin.isatty():
        raise ConfigError("delete asks first, but stdin is not a terminal.", "Give --yes to delete without a question.")
    click.confirm(question, abort=True)
