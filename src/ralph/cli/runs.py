"""`ralph runs`: what ran, and why it stopped; `ralph runs gc` forgets."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.durations import duration

if TYPE_CHECKING:
    from ralph.model.runs import Run


@click.group("runs", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="A JSON list.")
@click.option("--all", "everywhere", is_flag=True, help="Runs of all projects, not only of this directory.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many.")
@click.pass_context
def command(ctx: click.Context, as_json: bool, everywhere: bool, limit: int) -> None:
    """List the runs of this project, the newest first."""
    if ctx.invoked_subcommand:
        _refuse_options(ctx)
        return
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


@command.command("gc")
@click.option("--keep", type=click.IntRange(min=0), metavar="N", help="Keep the newest N of each project.")
@click.option("--older-than", type=duration, help="Remove what was last active longer ago than this, such as 30d.")
@click.option("--interrupted", is_flag=True, help="Remove interrupted runs, too; they could not be resumed any more.")
@click.option("--all", "everywhere", is_flag=True, help="Runs of all projects, not only of this directory.")
@click.option("--dry-run", is_flag=True, help="Only say how much it would be.")
def gc_command(keep: int | None, older_than: float | None, interrupted: bool, everywhere: bool, dry_run: bool) -> int:
    """Remove ended runs from the database, and their files.

    A run goes only together with all the runs that it started. What lives, waits, is paused or stopped always stays.
    """
    from ralph.app.gc import Wanted, collect
    from ralph.cli import words
    from ralph.model.verdicts import count

    wanted = Wanted(keep, older_than, interrupted)
    done = collect(None if everywhere else Path.cwd(), wanted, dry_run=dry_run)
    for problem in done.problems:
        click.echo(f"ralph: {problem}", err=True)
    word = "Would remove" if dry_run else "Removed"
    click.echo(f"{word} {count(done.runs, 'run')} and {words.size(done.size)} of files.")
    return 9 if done.problems else 0


def _refuse_options(ctx: click.Context) -> None:
    from click.core import ParameterSource

    for option in ctx.command.params:
        if option.name and ctx.get_parameter_source(option.name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} belongs to the list, not to gc. See: ralph runs gc --help", ctx)


def _line(run: "Run", *, everywhere: bool) -> str:
    from ralph.app.inspect import loop_label, unit
    from ralph.cli import words
    from ralph.model.verdicts import count

    state = words.state(run.status, run.verdict)
    facts = [
        *filter(None, [loop_label(run)]),
        words.ago(run.started_at),
        count(run.iterations, unit(run)),
        *words.spent(run.cost_usd, run.tokens.total),
    ]
    where = f" · {run.project}" if everywhere else ""
    reason = f" · {run.reason}" if run.reason else ""
    return f"{run.id}  {state:<14} {' · '.join(facts)}{where}{reason}"
