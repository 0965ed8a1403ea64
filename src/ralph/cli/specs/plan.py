"""`ralph spec plan`."""

import click

from ralph.cli.here import here
from ralph.cli.planning.options import planning_options


@click.command("plan")
@click.argument("spec")
@click.argument("note", required=False)
@planning_options
def command(
    spec: str, note: str | None, agent: str | None, yes: bool, answers: str | None, verbose: bool, quiet: bool
) -> int:
    """Divide the text of SPEC into chunks.

    The planner sees the text, the codebase, the rules and the existing tasks. You can edit, split, merge, drop and move
    its chunks before ralph writes them. If the planner proposes a chunk with the id of a pending task, the task
    changes; all other tasks stay as they are. NOTE says what the planner should consider.

    \b
    ralph spec plan shop
    ralph spec plan shop "Begin with the database" --yes
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.planning.specs import plan_chunks
    from ralph.cli.planning.person import person_for
    from ralph.cli.planning.said import said_with
    from ralph.cli.planning.specs import plan_spec
    from ralph.cli.stores import opened_store

    project = here()
    person = person_for("spec plan", yes=yes, has_answers=answers is not None)
    with opened_store() as store:
        to_plan = asyncio.run(plan_chunks(store, project, spec, said_with(note, answers), agent))
        return plan_spec(store, project, to_plan, person, verbose=verbose, quiet=quiet)
