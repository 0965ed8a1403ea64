"""Watch runs until none lives any more: in place on a terminal, elsewhere a line for each change."""

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import click

from ralph.app.run_tree import Node, node_json, nodes
from ralph.cli.status_text import StatusText

LOOK_AGAIN = 0.5

Show = Callable[[list[Node]], None]


def watch_runs(look: Callable[[], list[Node]], text: StatusText, *, as_json: bool) -> None:
    """Ctrl-C is how a person ends the watching: no error."""
    on_screen = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    with suppress(KeyboardInterrupt):
        if as_json:
            _follow(look, _changes_as_json())
        elif on_screen:
            _in_place(look, text)
        else:
            _follow(look, _changes_as_lines(text))


def json_text(tops: list[Node], *, indent: int | None = None) -> str:
    return json.dumps([node_json(top) for top in tops], indent=indent, ensure_ascii=False)


def _follow(look: Callable[[], list[Node]], show: Show) -> None:
    while True:
        tops = look()
        show(tops)
        if not any(node.is_live for node in nodes(tops)):
            return
        time.sleep(LOOK_AGAIN)


def _changes_as_json() -> Show:
    last = ""

    def show(tops: list[Node]) -> None:
        nonlocal last
        now = json_text(tops)
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


def _in_place(look: Callable[[], list[Node]], text: StatusText) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(highlight=False), auto_refresh=False) as live:

        def show(tops: list[Node]) -> None:
            drawn = Text.from_ansi("\n".join(text.lines(tops)), no_wrap=True, overflow="ellipsis")
            live.update(drawn, refresh=True)

        _follow(look, show)
