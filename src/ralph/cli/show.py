"""`ralph show`: one run, its iterations, and what each check saw."""

from pathlib import Path

import click


@click.command("show")
@click.argument("run", required=False)
@click.option("--json", "as_json", is_flag=True, help="JSON, with every action and its result.")
def command(run: str | None, as_json: bool) -> None:
    """Show RUN (its id, or the beginning of it), or the latest run of this project."""
    from ralph.app.inspect import attempt_json, open_run, parts, run_json

    found, attempts = open_run(run, Path.cwd())
    below = parts(found)
    if as_json:
        import json

        iterations = [attempt_json(found, attempt) for attempt in attempts]
        whole = {**run_json(found), "iterations": iterations}
        if below:
            whole["parts"] = [
                {**run_json(part), "iterations": [attempt_json(part, each) for each in made]} for part, made in below
            ]
        click.echo(json.dumps(whole, indent=2))
        return
    from ralph.cli.run_text import run_text

    for line in run_text(found, attempts, below):
        click.echo(line)
