"""`ralph logs`: what the agent said."""

import sys
from pathlib import Path

import click


@click.command("logs")
@click.argument("run", required=False)
@click.option("-f", "--follow", is_flag=True, help="Go on until the run ends.")
@click.option("--raw", is_flag=True, help="The agent's bytes as they came.")
def command(run: str | None, follow: bool, raw: bool) -> None:
    """Print what the agent said and did in RUN, or in the latest run of this project."""
    from ralph.app.logs import pieces
    from ralph.cli.events import EventLines

    shown, events = None, EventLines()
    for piece in pieces(run, Path.cwd(), follow=follow):
        if raw:
            sys.stdout.buffer.write(piece.raw)
            continue
        if piece.attempt != shown:
            shown, events = piece.attempt, EventLines()
            again = f", attempt {shown.attempt}" if shown.attempt > 1 else ""
            click.echo(f"── iteration {shown.number}{again} ──")
        for event in piece.events:
            for line, _ in events.lines(event):
                click.echo(line)
