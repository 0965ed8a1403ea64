"""`ralph task delete`."""

import click

from ralph.cli.here import here


@click.command("delete")
@click.argument("task_id", metavar="ID")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def command(task_id: str, yes: bool) -> None:
    """Delete the task ID. Its runs stay; ralph runs gc removes them.

    \b
    ralph task delete TASK-001
    ralph task delete TASK-001 --yes
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.listing import find_task
    from ralph.app.tasks.tasks import remove_task
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        task = find_task(store, here(), task_id)
        confirm(f"Delete {task.id} ({task.title})?", yes=yes)
        remove_task(store, here(), task.id)
    click.echo(f"Deleted {task.id}.")


def confirm(question: str, *, yes: bool) -> None:
    import sys

    from ralph.cli.saying import safe_text
    from ralph.model.errors import ConfigError

    if yes:
        return
    if not sys.stdin or not sys.stdin.isatty():
        raise ConfigError("delete asks first, but stdin is not a terminal.", "Give --yes to delete without a question.")
    click.confirm(safe_text(question), abort=True)
