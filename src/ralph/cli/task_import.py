"""`ralph task import`: tasks from a file, all of them or none."""

from pathlib import Path

import click


@click.command("import")
@click.argument("file", metavar="FILE")
@click.option("--spec", metavar="SPEC", help="The spec of tasks that name none.")
@click.option("--replace", is_flag=True, help="Write over tasks that have the same id.")
@click.option("--without-criteria", is_flag=True, help="Also take tasks that say nothing about being done.")
def command(file: str, spec: str | None, replace: bool, without_criteria: bool) -> None:
    """Read the tasks in FILE, in YAML or JSON; - is standard input. A missing spec is created."""
    from ralph.app.tasks import import_tasks, warnings_of
    from ralph.model.verdicts import count

    tasks = import_tasks(Path.cwd(), file, spec=spec, replace=replace, without_criteria=without_criteria)
    for task in tasks:
        for warning in warnings_of(task):
            click.echo(f"ralph: {warning}.", err=True)
    click.echo(f"Imported {count(len(tasks), 'task')}: {', '.join(task.id for task in tasks)}")
