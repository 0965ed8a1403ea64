"""`ralph logs`: what the agent said."""

import sys
from typing import TYPE_CHECKING

import click

from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.app.runs.log_streams import Piece
    from ralph.model.runs import Run
    from ralph.store.sql import Store


@click.command("logs")
@click.argument("run", metavar="[RUN|TASK]", required=False)
@click.option("-f", "--follow", is_flag=True, help="Keep printing until the run ends, then print the verdict.")
@click.option("--raw", is_flag=True, help="Print the agent's bytes as they arrived.")
@click.option("--timestamps", is_flag=True, help="Put the time before each line.")
def command(run: str | None, follow: bool, raw: bool, timestamps: bool) -> None:
    """Print the output of the agent in RUN, in the latest run of TASK, or in the latest run of this project.

    \b
    ralph logs
    ralph logs -f 3f2a --timestamps
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.history import chosen_run
    from ralph.app.runs.logs import pieces
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        found = chosen_run(store, run, here())
        if raw:
            for piece in pieces(store, found, follow=follow):
                sys.stdout.buffer.write(piece.raw)
                sys.stdout.buffer.flush()
                _say_lost(piece)
        else:
            _print(store, found, follow=follow, timestamps=timestamps)


def _say_lost(piece: "Piece") -> None:
    if piece.lost:
        say(f"ralph: the output of the agent is gone: {piece.lost} does not exist.", err=True)


def _print(store: "Store", run: "Run", *, follow: bool, timestamps: bool) -> None:
    from ralph.app.runs.logs import pieces
    from ralph.cli.runs.log_text import Log, display_of
    from ralph.store.runs import get_run

    display, problem = display_of(store, run)
    if problem:
        say(f"ralph: {problem}", err=True)
    log = Log(run.id, display, timestamps=timestamps)
    for piece in pieces(store, run, follow=follow):
        log.print(piece)
        _say_lost(piece)
    if follow and (ended := get_run(store, run.id)):
        log.print_verdict(ended)
