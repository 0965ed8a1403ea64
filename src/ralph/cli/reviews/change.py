"""`ralph review [BASE..HEAD]`: a review of any change, without a loop."""

from typing import TYPE_CHECKING

import click

from ralph.cli.choices import Choice
from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.model.reviews import Tier


class _Context(click.Context):
    @property
    def command_path(self) -> str:
        """The path of the command as the user calls it: this is what `ralph review` means."""
        return self.parent.command_path if self.parent else super().command_path


class _Change(click.Command):
    context_class = _Context


@click.command("change", cls=_Change)
@click.argument("change", required=False, metavar="[BASE..HEAD]")
@click.option(
    "--tier",
    type=Choice(["quick", "deep", "final"]),
    default="final",
    help="The kind of review, and who reviews: defaults.quickReviewer, deepReviewer or finalReviewer (default: final).",
)
@click.option("--agent", help="The agent that reviews if the settings choose no reviewer.")
@click.option("--again", is_flag=True, help="Ask again, even if this reviewer has reviewed the same files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the decision, all issues, and their counts.")
@click.option("-V", "--verbose", is_flag=True, help="Also print commands and timings.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
def command(
    change: str | None, tier: "Tier", agent: str | None, again: bool, as_json: bool, verbose: bool, quiet: bool
) -> int:
    """Review a change without a loop: SHIP or REVISE, with what must be fixed.

    The change is the work on HEAD since it left BASE; without BASE, since it left the upstream, main or master. The
    reviewer works in a separate checkout, so your files do not change. Exit code 0 for SHIP, 1 for REVISE, 9 if the
    reviewer gave no review, 7 if the reviewer cannot be started. `ralph review export` exports the findings.

    \b
    ralph review
    ralph review main..my-branch --tier deep
    ralph review HEAD~1..HEAD --json
    """  # noqa: D301 - click reads the backspace characters
    import asyncio
    import os

    from ralph.app.reviews.plan import plan_review
    from ralph.app.reviews.views import review_run_view
    from ralph.app.runs.starting import stored
    from ralph.cli.display.screen import make_screen
    from ralph.cli.json_text import json_text
    from ralph.cli.runs.driving import PARENT, drive
    from ralph.cli.stores import opened_store

    project = here()
    with opened_store() as store:
        planned = asyncio.run(plan_review(project, change, tier, agent=agent, again=again))
        for warning in planned.warnings:
            say(f"ralph: {warning}", err=True)
        screen = make_screen(planned.plan.settings, verbose=verbose, quiet=quiet or as_json)
        with stored(store, project, planned.plan, os.environ.get(PARENT)) as run_id:
            code = drive(store, run_id, planned.plan, screen, is_locked=True)
        if as_json:
            click.echo(json_text(review_run_view(store, run_id, planned.plan.loop.by)))
        return code
