"""`ralph runs gc`: remove runs that have ended."""

import click

from ralph.cli.durations import duration
from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("gc")
@click.option("--keep", type=click.IntRange(min=0), metavar="N", help="Keep the newest N of each project.")
@click.option("--older-than", type=duration, help="Remove runs whose last activity is older than this, such as 30d.")
@click.option("--interrupted", is_flag=True, help="Also remove interrupted runs; you can no longer resume them.")
@click.option("--all", "everywhere", is_flag=True, help="Include the runs of all projects.")
@click.option("--dry-run", is_flag=True, help="Only print what it would remove.")
def gc_command(keep: int | None, older_than: float | None, interrupted: bool, everywhere: bool, dry_run: bool) -> int:
    """Remove ended runs from the database, with their files and discarded attempts.

    ralph removes a run only together with all runs that it started. Runs that are alive, waiting, paused or stopped
    always stay.

    \b
    ralph runs gc --keep 20
    ralph runs gc --older-than 30d --dry-run
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.gc import Wanted, collect
    from ralph.cli.stores import opened_store
    from ralph.model.words import count, size

    wanted = Wanted(keep, older_than, interrupted)
    with opened_store() as store:
        done = collect(store, None if everywhere else here(), wanted, dry_run=dry_run)
    if done.gone:
        import asyncio

        from ralph.app.runs.gc_refs import drop_attempts

        asyncio.run(drop_attempts(done.gone))
    for problem in done.problems:
        say(f"ralph: {problem}", err=True)
    word = "Would remove" if dry_run else "Removed"
    click.echo(f"{word} {count(done.runs, 'run')} and {size(done.size)} of files.")
    return 9 if done.problems else 0
