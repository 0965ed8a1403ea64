"""`ralph runs`: what ran, and why it stopped."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ralph.model.runs import Run


@click.command("runs")
@click.option("--json", "as_json", is_flag=True, help="A JSON list.")
@click.option("--all", "everywhere", is_flag=True, help="Runs of all projects, not only of this directory.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many.")
def command(as_json: bool, everywhere: bool, limit: int) -> None:
    """List the runs of this project, the newest first."""
    from ralph.app.inspect import run_json, runs

    found = runs(None if everywhere else Path.cwd(), limit)
    if as_json:
        import json

        click.echo(json.dumps([run_json(run) for run in found], indent=2))
        return
    if not found:
        click.echo('Nothing has run here yet. Begin: ralph run -p "..."')
    for run in found:
        click.echo(_line(run, everywhere=everywhere))


def _line(run: "Run", *, everywhere: bool) -> str:
    from ralph.cli import words

    state = run.verdict if run.status == "ended" and run.verdict else run.status
    count = f"{run.iterations} iteration{'' if run.iterations == 1 else 's'}"
    facts = [words.ago(run.started_at), count, *words.spent(run.cost_usd, run.tokens.total)]
    where = f" · {run.project}" if everywhere else ""
    reason = f" · {run.reason}" if run.reason else ""
    return f"{run.id}  {state:<14} {' · '.join(facts)}{where}{reason}"
