"""`ralph verify`: the checks on a commit, judged as if an agent had called it done."""

from typing import TYPE_CHECKING

import click

from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.loop.plan import Plan
    from ralph.store.sql import Store


@click.command("verify")
@click.argument("subject", required=False, metavar="[TASK|COMMIT]")
@click.option(
    "--base", help="The commit that the work started from (default: where it left the upstream, main or master)."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the evidence of each check.")
@click.option("-V", "--verbose", is_flag=True, help="Also print commands and timings.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
def command(subject: str | None, base: str | None, as_json: bool, verbose: bool, quiet: bool) -> int:
    """Run the checks on a commit, without an agent, and judge it as if an agent had called it done.

    For a COMMIT (default HEAD) these are the checks of the settings, for a TASK those of its stages, on its delivered
    commit. ralph uses a separate checkout, so your files do not change. Exit code 0 if everything passes, 9 if a check
    fails, 6 if the change tampers with its tests or judges.

    \b
    ralph verify
    ralph verify my-branch --base main
    ralph verify TASK-001 --json
    """  # noqa: D301 - click reads the backspace characters
    import asyncio
    import os

    from ralph.app.proof.verify import plan_verify
    from ralph.app.runs.starting import stored
    from ralph.cli.display.screen import make_screen
    from ralph.cli.runs.driving import PARENT, drive
    from ralph.cli.stores import opened_store

    project = here()
    with opened_store() as store:
        plan = asyncio.run(plan_verify(store, project, subject, base))
        screen = make_screen(plan.settings, verbose=verbose, quiet=quiet or as_json)
        with stored(store, project, plan, os.environ.get(PARENT)) as run_id:
            code = drive(store, run_id, plan, screen, is_locked=True)
        if as_json:
            click.echo(_json(store, run_id, plan))
        return code


def _json(store: "Store", run_id: str, plan: "Plan") -> str:
    from ralph.app.proof.verify import verify_view
    from ralph.cli.json_text import json_text

    return json_text(verify_view(store, run_id, plan))
