"""Watches runs until none is active: in place on a terminal, elsewhere with a line for each change."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import click

from ralph.app.runs.telling import told
from ralph.app.runs.tree import Node, node_view, nodes
from ralph.cli.json_text import json_text
from ralph.cli.runs.status_text import StatusText
from ralph.cli.runs.watch_text import WatchText
from ralph.store.follow import last_id, watch
from ralph.store.sql import Store

LOOK_AGAIN = 0.5
"""The seconds between two looks, because the elapsed time is shown, too."""
AT_LEAST = 0.05
"""The minimum of seconds between two looks, however much is written."""

Look = Callable[[], list[Node]]
Show = Callable[[list[Node]], None]


def watch_runs(store: Store, look: Look, text: StatusText, on_terminal: WatchText, *, as_json: bool) -> None:
    """Watch the runs. Ctrl-C ends the watching without an error."""
    on_screen = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    with suppress(KeyboardInterrupt):
        if as_json:
            _follow(store, look, _changes_as_json())
        elif on_screen:
            _in_place(store, look, on_terminal)
        else:
            _follow(store, look, _changes_as_lines(text))


def nodes_json(tops: list[Node], *, indent: int = 2) -> str:
    return json_text([node_view(top) for top in tops], indent=indent)


def _follow(store: Store, look: Look, show: Show) -> None:
    """Look again whenever a row was written, and from time to time without one: a process may die silently."""
    for _ in watch(store, last_id(store), at_most=LOOK_AGAIN):
        tops = look()
        show(tops)
        if not any(node.run.is_live for node in nodes(tops)):
            return
        time.sleep(AT_LEAST)


def _changes_as_json() -> Show:
    last = ""

    def show(tops: list[Node]) -> None:
        nonlocal last
        now = nodes_json(tops, indent=0)
        if now != last:
            click.echo(now)
        last = now

    return show


def _changes_as_lines(text: StatusText) -> Show:
    last: dict[str, str] = {}

    def show(tops: list[Node]) -> None:
        for node in nodes(tops):
            line = text.summary(node)
            if last.get(node.run.id) != line:
                click.echo(f"{time.strftime('%H:%M:%S')}  {line}")
            last[node.run.id] = line

    return show


def _in_place(store: Store, look: Look, text: WatchText) -> None:
    from rich.live import Live
    from rich.text import Text

    from ralph.cli.display.steady import steady_console

    console = steady_console()
    with Live(console=console, auto_refresh=False) as live:

        def show(tops: list[Node]) -> None:
            # The last line of the screen stays free for the cursor.
            lines = text.lines(told(store, tops), console.size.height - 1)
            live.update(Text.from_ansi("\n".join(lines), no_wrap=True, overflow="ellipsis"), refresh=True)

        _follow(store, look, show)
