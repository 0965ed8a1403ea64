"""`ralph task depend`: what a task waits for."""

import click

from ralph.cli.here import here


@click.command("depend")
@click.argument("task_id", metavar="ID")
@click.option("--on", multiple=True, metavar="TASK", help="Let ID depend on this task; repeatable.")
@click.option("--not-on", multiple=True, metavar="TASK", help="Let ID no longer depend on this task; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(task_id: str, on: tuple[str, ...], not_on: tuple[str, ...], as_json: bool) -> None:
    """Change the dependencies of the task ID. ralph refuses a cycle, and names it in full.

    \b
    ralph task depend T-3 --on T-1 --on T-2
    ralph task depend T-3 --not-on T-1
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.dependencies import change_dependencies
    from ralph.cli.stores import opened_store

    if not on and not not_on:
        raise click.UsageError("Name a task: --on TASK or --not-on TASK.")
    with opened_store() as store:
        changed = change_dependencies(store, here(), task_id, on=on, not_on=not_on)
    if as_json:
        from ralph.cli.json_out import print_json

        print_json(changed)
        return
    word = "now depends" if changed.added or changed.removed else "depends"
    click.echo(f"{changed.id} {word} on {', '.join(changed.dependencies) or 'no task'}.")
