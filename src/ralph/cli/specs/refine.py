"""`ralph spec refine`."""

import click

from ralph.cli.here import here
from ralph.cli.planning.options import planning_options


@click.command("refine")
@click.argument("spec")
@click.argument("change", required=False)
@planning_options
def command(
    spec: str, change: str | None, agent: str | None, yes: bool, answers: str | None, verbose: bool, quiet: bool
) -> int:
    """Let the planner ask about the text of SPEC, and write a better one.

    CHANGE says what to change; `-` reads it from standard input, and without it the planner looks for what is unclear,
    missing or contradictory. ralph shows the new text as a diff, writes it when you agree, and keeps the old one as
    spec.1.md, spec.2.md and so on. The tasks stay as they are.

    \b
    ralph spec refine shop
    ralph spec refine shop "Payment by invoice is out of scope" --yes
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.planning.specs import plan_refinement
    from ralph.cli.planning.person import person_for
    from ralph.cli.planning.said import said_with
    from ralph.cli.planning.specs import plan_spec
    from ralph.cli.stores import opened_store

    project = here()
    person = person_for("spec refine", yes=yes, has_answers=answers is not None)
    with opened_store() as store:
        to_plan = asyncio.run(plan_refinement(store, project, spec, said_with(change, answers), agent))
        return plan_spec(store, project, to_plan, person, verbose=verbose, quiet=quiet)
