"""`ralph spec new`: from an intent to a spec with chunks, by the planner's questions."""

import click

from ralph.cli.here import here
from ralph.cli.planning.options import planning_options


@click.command("new")
@click.argument("intent", required=False)
@click.option("--title", metavar="TEXT", help="Its title; the id comes from it.  [default: the first line of INTENT]")
@planning_options
def command(
    intent: str | None,
    title: str | None,
    agent: str | None,
    yes: bool,
    answers: str | None,
    verbose: bool,
    quiet: bool,
) -> int:
    """Plan a spec: the planner asks questions, then it proposes the text and the chunks.

    INTENT says what to build; `-` reads it from standard input, and without it ralph asks. ralph writes every answer
    into .ralph/specs/ID/spec.md at once. You approve the text, then you can edit, split, merge, drop and move the
    chunks before ralph writes them. The planner reads a copy of the project and changes nothing. You can stop with
    Ctrl-C: `ralph resume`, or the same command, continues where you were.

    \b
    ralph spec new "A search box for the list of orders"
    ralph spec new --yes - < idea.md
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.planning.specs import plan_new
    from ralph.cli.planning.person import person_for, says_what
    from ralph.cli.planning.said import said_with
    from ralph.cli.planning.specs import plan_spec
    from ralph.cli.stores import opened_store

    project = here()
    person = person_for("spec new", yes=yes, has_answers=answers is not None)
    said = said_with(intent, answers)
    if not said and person.is_there:
        said = says_what("Start again: ralph spec new")
    with opened_store() as store:
        to_plan = asyncio.run(plan_new(store, project, said, title, agent))
        return plan_spec(store, project, to_plan, person, verbose=verbose, quiet=quiet)
