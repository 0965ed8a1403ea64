"""`ralph spec delete`."""

from pathlib import Path

import click


@click.command("delete")
@click.argument("spec_id", metavar="ID")
@click.option("--with-tasks", is_flag=True, help="Delete its tasks, too.")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing.")
def command(spec_id: str, with_tasks: bool, yes: bool) -> None:
    """Delete the spec ID. Its text in .ralph/specs stays."""
    from ralph.app.specs import open_spec, remove_spec
    from ralph.cli.task_delete import confirm
    from ralph.model.verdicts import count

    found = open_spec(Path.cwd(), spec_id)
    tasks = f" and {count(len(found.tasks), 'task')}" if found.tasks and with_tasks else ""
    confirm(f"Delete {found.spec.id} ({found.spec.title}){tasks}?", yes=yes)
    removed = remove_spec(Path.cwd(), spec_id, with_tasks=with_tasks)
    stays = f" Its text stays in {removed.file.relative_to(Path.cwd())}." if removed.file else ""
    click.echo(f"Deleted {removed.spec.id}{tasks}.{stays}")
