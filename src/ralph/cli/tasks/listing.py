"""`ralph task list`: the tasks of a project or of a spec."""

from typing import TYPE_CHECKING

import click

from ralph.cli.choices import Choice
from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.app.tasks.listing import TaskSummary

STATES = ("pending", "running", "interrupted", "completed", "failed", "skipped")


@click.command("list")
@click.option("--spec", metavar="SPEC", help="Only tasks of this spec.")
@click.option("--status", type=Choice(STATES), help="Only tasks with this status.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def command(spec: str | None, status: str | None, as_json: bool) -> None:
    """List the tasks in the order in which they run.

    \b
    ralph task list
    ralph task list --spec auth --status pending
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.listing import list_tasks
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        found = [each for each in list_tasks(store, here(), spec) if status in (None, each.status)]
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(found)
        return
    if not found:
        say("No such task." if status or spec else "There are no tasks yet. Start: ralph task create --help")
    for line in lines(found, with_spec=spec is None):
        say(line)


def lines(found: "list[TaskSummary]", *, with_spec: bool) -> list[str]:
    width = max((len(each.id) for each in found), default=0)
    return [_line(each, width, with_spec=with_spec) for each in found]


def _line(task: "TaskSummary", width: int, *, with_spec: bool) -> str:
    facts = [task.title]
    facts += [f"spec {task.spec_id}"] if with_spec else []
    facts += [f"priority {task.priority}"] if task.priority else []
    facts += [f"after {', '.join(task.dependencies)}"] if task.dependencies else []
    return f"{task.id:<{width}}  {task.status:<11}  {' · '.join(facts)}"
