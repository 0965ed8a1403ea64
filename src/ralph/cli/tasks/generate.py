"""`ralph task generate`: tasks with completion criteria per role, from a text."""

import click

from ralph.cli.here import here
from ralph.cli.planning.options import planning_options


@click.command("generate")
@click.argument("file", metavar="FILE")
@click.option("--spec", metavar="SPEC", help="The spec of the tasks.  [default: a new one, named after the text]")
@click.option("--print-prompt", is_flag=True, help="Print the prompt, and start no agent.")
@planning_options
def command(
    file: str,
    spec: str | None,
    print_prompt: bool,
    agent: str | None,
    yes: bool,
    answers: str | None,
    verbose: bool,
    quiet: bool,
) -> int:
    """Generate tasks with completion criteria for each role from the text in FILE; - is standard input.

    You can edit, split, merge, drop and move the tasks before ralph writes them. With --print-prompt you can use any
    agent: give it the printed prompt, and import its answer with `ralph task import`.

    \b
    ralph task generate login.md --spec auth
    ralph task generate login.md --print-prompt | claude -p > tasks.yaml
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.planning.specs import generation_prompt, plan_tasks
    from ralph.app.tasks.text import read_text
    from ralph.cli.planning.person import person_for
    from ralph.cli.planning.said import with_answers
    from ralph.cli.planning.specs import plan_spec
    from ralph.cli.stores import opened_store

    text = read_text(file, "a text file")
    if print_prompt:
        click.echo(generation_prompt(text), nl=False)
        return 0
    project = here()
    person = person_for("task generate", yes=yes, has_answers=answers is not None)
    with opened_store() as store:
        to_plan = asyncio.run(plan_tasks(store, project, with_answers(text, answers), spec, agent))
        return plan_spec(store, project, to_plan, person, verbose=verbose, quiet=quiet)
