"""Where lines go: a live terminal, a plain pipe, or nowhere."""

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

STYLES = {"good": "green", "bad": "red", "head": "bold", "quiet": "dim"}


class Terminal:
    """`say` writes ralph's lines to standard error, `out` the agent's to standard output, `busy` a live line."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        live = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._progress = _live_line() if live else None
        # Both on one screen: then the agent's lines must go around the live line, too.
        self._shared = live and sys.stdout.isatty()

    def say(self, line: str, style: str = "") -> None:
        if self.quiet:
            return
        if self._progress:
            self._progress.console.print(line, style=STYLES.get(style), markup=False)
        else:
            _write(sys.stderr, line)

    def out(self, line: str) -> None:
        if self.quiet:
            return
        if self._progress and self._shared:
            self._progress.console.print(line, markup=False)
        else:
            _write(sys.stdout, line)

    def insist(self, line: str) -> None:
        """Said even when quiet."""
        self.idle()
        _write(sys.stderr, line)

    def busy(self, what: str, *, announce: bool = False) -> None:
        """Show what is going on, and for how long, until the next line of this kind. A pipe gets it once, if at all."""
        if announce and not self._progress:
            self.say(f"  … {what}")
        if self._progress:
            self.idle()
            self._progress.add_task(what)
            self._progress.start()

    def idle(self) -> None:
        if self._progress:
            self._progress.stop()
            for task in self._progress.task_ids:
                self._progress.remove_task(task)


def _write(stream: TextIO, line: str) -> None:
    stream.write(f"{line}\n")
    stream.flush()


def _live_line() -> "Progress":
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, refresh_per_second=4)
