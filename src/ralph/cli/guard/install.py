"""`ralph guard install`: let an agent's own hooks call the stop guard."""

import click

from ralph.cli.guard.options import agent_option, scope_options
from ralph.cli.here import here

TRUST = "Codex runs it once you have trusted it: open /hooks in codex (codex exec: --dangerously-bypass-hook-trust)."


@click.command("install")
@agent_option
@scope_options
def command(agent: str | None, scope: str) -> None:
    """Add the stop guard to the hooks of Claude Code or Codex, for this project or for all your projects.

    Nothing else in their files changes.

    \b
    ralph guard install
    ralph guard install --agent codex --user
    """  # noqa: D301 - click reads the backspace characters
    import os

    from ralph.app.guard.hook_files import agents_here, hook_file, program
    from ralph.app.guard.hooks import install
    from ralph.app.proof.policy import configured_checks
    from ralph.app.proof.verify import NO_CHECKS
    from ralph.config.layers import load

    project = here()
    for name in [agent] if agent else agents_here(project, os.environ):
        file = hook_file(name, "user" if scope == "user" else "project", project, os.environ)
        is_new = install(file, f"{program(os.environ)} guard")
        click.echo(f"{'Added the stop guard to' if is_new else 'The stop guard is already in'} {file.shown}")
        if name == "codex":
            click.echo(TRUST)
    click.echo("It works in new sessions.")
    if scope == "project" and not configured_checks(load(project).settings):
        click.echo(f"No check is configured here, so nothing is checked when an agent stops. {NO_CHECKS}", err=True)
