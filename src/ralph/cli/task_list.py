"""`ralph task list`: the tasks of a project or of a spec."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ralph.app.tasks import TaskState

STATES = ("pending", "running", "interrupted", "completed", "failed")


@click.command("list")
@click.option("--spec", metavar="SPEC", help="Only tasks of this spec.")
@click.option("--status", type=click.Choice(STATES), help="Only tasks that stand so.")
@click.option("--json", "as_json", is_flag=True, help="A JSON list.")
def command(spec: str | None, status: str | None, as_json: bool) -> None:
    """List the tasks in the order in which they run."""
    from ralph.app.tasks import list_tasks

    found = [each for each in list_tasks(Path.cwd(), spec) if status in (None, each.state)]
    if as_json:
        import json

        from ralph.app.task_view import task_json

        click.echo(json.dumps([task_json(each) for each in found], indent=2))
        return
    if not found:
        click.echo("No such task." if status or spec else "There are no tasks yet. Begin: ralph task create --help")
    for line in lines(found, with_spec=spec is None):
        click.echo(line)


def lines(found: "list[TaskState]", *, with_spec: bool) -> list[str]:
    width = max((len(each.task.id) for each in found), default=0)
    return [_line(each, width, with_spec=with_spec) for each in found]


def _line(shown: "TaskState", width: int, *, with_spec: bool) -> str:
    task = shown.task
    facts = [task.title]
    facts += [f"spec {task.spec_id}"] if with_spec else []
    facts += [f"priority {task.priority}"] if task.priority else []
    facts += [f"after {', '.join(task.dependencies)}"] if task.dependencies else []
    return f"{task.id:<{width}}  {shown.state:<11}  {' · '.join(facts)}"
