"""`ralph status`: what runs now, and what ran last."""

from pathlib import Path

import click


@click.command("status")
@click.argument("run", required=False)
@click.option("--tree", is_flag=True, help="Draw the runs below each other that started one another.")
@click.option("--json", "as_json", is_flag=True, help="A JSON list; with --watch one such line for each change.")
@click.option("--watch", is_flag=True, help="Go on until nothing runs any more. Ctrl-C ends the watching only.")
@click.option("--all", "everywhere", is_flag=True, help="Runs of all projects, not only of this directory.")
def command(run: str | None, tree: bool, as_json: bool, watch: bool, everywhere: bool) -> None:
    """Show what runs in this project and what it is doing, and what ran last; or the one RUN and what it started."""
    from ralph.app.run_tree import looker
    from ralph.cli.status_text import StatusText
    from ralph.cli.status_watch import json_text, watch_runs

    look = looker(None if everywhere else Path.cwd(), run)
    text = StatusText(here=None if everywhere else Path.cwd(), tree=tree or run is not None)
    if watch:
        watch_runs(look, text, as_json=as_json)
    elif as_json:
        click.echo(json_text(look(), indent=2))
    else:
        click.echo("\n".join(text.lines(look())))
