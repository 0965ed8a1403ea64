"""`ralph task import`: tasks from a file, all of them or none."""

import click

from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("import")
@click.argument("file", metavar="FILE")
@click.option("--spec", metavar="SPEC", help="The spec of tasks that name none.")
@click.option("--replace", is_flag=True, help="Overwrite tasks with the same id.")
@click.option("--without-criteria", is_flag=True, help="Also accept tasks without completion criteria.")
def command(file: str, spec: str | None, replace: bool, without_criteria: bool) -> None:
    """Import the tasks in FILE, in YAML or JSON; - is standard input. A missing spec is created.

    \b
    ralph task import tasks.yaml
    ralph task import tasks.yaml --spec auth --replace
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.coverage import coverage_warnings
    from ralph.app.tasks.tasks import import_tasks, warnings_of
    from ralph.app.tasks.text import read_text, source_name
    from ralph.cli.stores import opened_store
    from ralph.model.words import count

    text, how = read_text(file, "a file with tasks"), {"replace": replace, "without_criteria": without_criteria}
    with opened_store() as store:
        tasks, told = import_tasks(store, here(), text, source_name(file), spec=spec, **how)
    warnings = [warning for task in tasks for warning in warnings_of(task)]
    for warning in (*told, *warnings, *coverage_warnings(here(), tasks)):
        say(f"ralph: {warning}.", err=True)
    say(f"Imported {count(len(tasks), 'task')}: {', '.join(task.id for task in tasks)}")
