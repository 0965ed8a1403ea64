"""What agents said, as lines: in the form that their project's settings describe, and with the time of each."""

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from ralph.cli.display.events import EventLines, Line, Style
from ralph.cli.display.words import stamp
from ralph.cli.masked import masked
from ralph.config.layers import load
from ralph.config.loops import DisplaySettings
from ralph.model.errors import ConfigError
from ralph.model.verdicts import next_step
from ralph.model.words import duration, prefixed, spent, visible
from ralph.store.projects import folder_of

if TYPE_CHECKING:
    from ralph.app.runs.log_streams import Piece, Source
    from ralph.model.runs import Run
    from ralph.store.sql import Store

STYLES: dict[str, Callable[[str], str]] = {
    "good": partial(click.style, fg="green"),
    "bad": partial(click.style, fg="red"),
    "head": partial(click.style, bold=True),
    "quiet": partial(click.style, dim=True),
    "tool": partial(click.style, fg="cyan"),
    "warn": partial(click.style, fg="yellow"),
}


def display_of(store: "Store", run: "Run") -> tuple[DisplaySettings, str]:
    """How the project of the run wants it shown; and what is wrong with its settings, if they cannot be used."""
    try:
        return load(folder_of(store, run.project)).settings.display, ""
    except ConfigError as error:
        return DisplaySettings(), f"the display settings are ignored: {error}"


class Log:
    """The output of streams. Parts that work side by side take turns: each turn says whose it is."""

    def __init__(self, whole: str, display: DisplaySettings, *, timestamps: bool) -> None:
        self._whole = whole
        self._style = msgspec.convert(display, Style, from_attributes=True)
        self._color = display.color != "never" and not os.environ.get("NO_COLOR")
        self._timestamps = timestamps or display.timestamps
        self._streams: dict[int, EventLines] = {}
        self._last = 0

    def print(self, piece: "Piece") -> None:
        row = piece.source.row
        if row != self._last and (piece.events or row not in self._streams):
            at = piece.events[0].at if piece.events else piece.source.began
            self._say((_head(piece.source, self._whole), "head"), at)
            self._last = row
        events = self._streams.setdefault(row, EventLines(self._style, began=piece.source.began))
        for said in piece.events:
            for line in events.lines(said.event, said.at):
                self._say(line, said.at)
        if piece.end:
            failed = [(line, "bad") for line in piece.end.line.splitlines()]
            for line in events.complete() if piece.end.mark == "ok" else failed:
                self._say(line, piece.end.at)

    def print_verdict(self, run: "Run") -> None:
        """Print how it ended, in the words of the run's own screen."""
        ended_at = run.ended_at or run.active_at
        facts = [duration(ended_at - run.started_at), *spent(run.cost_usd, run.tokens.total)]
        good = run.verdict == "verified"
        told = f"{run.verdict}: {run.reason}" if run.verdict else run.status
        self._say((f"{'✓' if good else '✗'} {told} · {' · '.join(facts)}", "good" if good else "bad"), ended_at)
        # A verdict without a next step says in its reason what to do.
        resumed = "" if run.verdict else f"Continue: ralph resume {run.id}"
        if step := next_step(run.verdict or "", run.id, run.recipe, run.reason) or resumed:
            self._say((f"  {step}", ""), ended_at)

    def _say(self, line: Line, at: float) -> None:
        text, style = line
        shown = visible(masked(text))
        if self._timestamps:
            shown = prefixed(shown, stamp(at))
        if self._color and style:
            # click removes the colour if standard output is not a terminal.
            shown = STYLES[style](shown)
        click.echo(shown)


def _head(source: "Source", whole: str) -> str:
    run = source.run
    name = [source.name.replace("-", " ")] if source.name else []
    again = [f"attempt {source.attempt}"] if source.attempt > 1 else []
    part = f" · {f'{run.recipe} {run.label}'.rstrip()}" if run.id != whole else ""
    return f"── {', '.join([f'{run.unit} {source.iteration}', *name, *again])}{part} ──"
