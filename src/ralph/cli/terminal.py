"""Where lines go: a live terminal, a plain pipe, or nowhere."""

import os
import sys
import time
from typing import TYPE_CHECKING, TextIO

from ralph.cli import words
from ralph.cli.printer import Printer

if TYPE_CHECKING:
    from rich.progress import Progress

STYLES = {"good": "green", "bad": "red", "head": "bold", "quiet": "dim", "tool": "cyan", "warn": "yellow"}


class Terminal:
    """`say` writes ralph's lines to standard error, `out` the agent's to standard output, `busy` a live line."""

    def __init__(self, *, quiet: bool = False, color: str = "auto") -> None:
        self.quiet = quiet
        live = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._progress = _live_line(color) if live else None
        # Both on one screen: then the agent's lines must go around the live line, too.
        self._shared = live and sys.stdout.isatty()
        self._printer = Printer()

    def say(self, line: str, style: str = "") -> None:
        if not self.quiet:
            self._printer.put(lambda: self._line(sys.stderr, line, style))

    def out(self, lines: list[tuple[str, str]]) -> None:
        """The agent's lines, with their styles. A terminal that cannot keep up does not get all of them."""
        if not self.quiet:
            self._printer.offer(lambda: self._block(lines))

    def insist(self, line: str) -> None:
        """Said even when quiet."""
        self.idle()
        self._printer.put(lambda: _write(sys.stderr, line))

    def busy(self, what: str, *, announce: bool = False) -> None:
        """Show what is going on, and for how long, until the next line of this kind. A pipe gets it once, if at all."""
        if announce and not self._progress:
            self.say(f"  … {what}")
        if self._progress:
            self._printer.put(lambda: self._show_live(what))

    def count_down(self, what: str, until: float) -> None:
        if self._progress:
            self._printer.put(lambda: self._show_live(what, until=until))

    def idle(self) -> None:
        if self._progress:
            self._printer.put(lambda: self._show_live(""))

    def drain(self) -> None:
        if dropped := self._printer.dropped:
            self.say(f"  … {dropped} pieces of output were not shown here: see ralph logs", "quiet")
        self._printer.drain()

    def _show_live(self, what: str, *, until: float | None = None) -> None:
        if self._progress is None:
            return
        self._progress.stop()
        for task in self._progress.task_ids:
            self._progress.remove_task(task)
        if what:
            self._progress.add_task(what, until=until)
            self._progress.start()

    def _block(self, lines: list[tuple[str, str]]) -> None:
        for line, style in lines:
            self._line(sys.stderr if self._shared else sys.stdout, line, style)

    def _line(self, stream: TextIO, line: str, style: str) -> None:
        if self._progress and stream is sys.stderr:
            self._progress.console.print(line, style=STYLES.get(style), markup=False)
        else:
            _write(stream, line)


def _write(stream: TextIO, line: str) -> None:
    """Past Python's own buffer: a reader that is stuck or gone must not be waited for again at exit."""
    data = f"{line}\n".encode(stream.encoding or "utf-8", errors="backslashreplace")
    while data:
        data = data[os.write(stream.fileno(), data) :]


def _live_line(color: str) -> "Progress":
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    class Clock(ProgressColumn):
        """How long it has taken, or how long it will still take."""

        def render(self, task: Task) -> Text:
            until: float | None = task.fields.get("until")
            seconds = task.elapsed or 0.0 if until is None else max(0.0, until - time.time())
            return Text(words.duration(seconds) + ("" if until is None else " left"))

    # On "auto" rich looks at the terminal and at NO_COLOR.
    console = Console(stderr=True, highlight=False, soft_wrap=True, no_color=True if color == "never" else None)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), Clock())
    return Progress(*columns, console=console, transient=True, refresh_per_second=4)
