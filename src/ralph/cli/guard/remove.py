"""`ralph guard remove`: agents no longer call the stop guard."""

import click

from ralph.cli.guard.options import agent_option, scope_options
from ralph.cli.here import here


@click.command("remove")
@agent_option
@scope_options
def command(agent: str | None, scope: str) -> None:
    """Remove the stop guard from the hooks of Claude Code and Codex, in this project or for all your projects.

    Nothing else in their files changes.

    \b
    ralph guard remove
    ralph guard remove --user
    """  # noqa: D301 - click reads the backspace characters
    import os

    from ralph.app.guard.hook_files import PLACES, hook_file
    from ralph.app.guard.hooks import remove

    project = here()
    for name in [agent] if agent else PLACES:
        file = hook_file(name, "user" if scope == "user" else "project", project, os.environ)
        was_there = remove(file)
        click.echo(f"{'Took the stop guard out of' if was_there else 'The stop guard is not in'} {file.shown}")
