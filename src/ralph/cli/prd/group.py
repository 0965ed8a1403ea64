"""`ralph prd`: stories that only a fresh review can approve."""

import click

from ralph.cli.lazy import LazyGroup

TABLE = {
    "init": ("ralph.cli.prd.init", "Create the files of a story loop."),
    "plan": ("ralph.cli.prd.plan", "Answer an agent's questions: it writes the requirements and the stories."),
    "run": ("ralph.cli.prd.run", "Implement, review and fix, until every story is approved."),
    "status": ("ralph.cli.prd.status", "Show the state of the stories."),
    "archive": ("ralph.cli.prd.archive", "Archive a finished feature, and start with clean templates."),
}


@click.group("prd", cls=LazyGroup, table=TABLE)
def command() -> None:
    """Plan a feature as stories, and run them with a fresh review of each.

    \b
    ralph prd init --name login
    ralph prd plan
    ralph prd run
    """  # noqa: D301 - click reads the backspace characters
