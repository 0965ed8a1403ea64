"""Where lines go: a live terminal, a plain pipe, or nowhere."""

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from ralph.cli.display.fitting import columns_of, wrapped
from ralph.cli.display.printer import Job, Printer, Written
from ralph.cli.display.words import stamp
from ralph.cli.masked import masked
from ralph.model import words

if TYPE_CHECKING:
    import asyncio

    from rich.progress import Progress

STYLES = {"good": "green", "bad": "red", "head": "bold", "quiet": "dim", "tool": "cyan", "warn": "yellow"}

MOST_IN_A_SECOND = 3000
"""How many pieces of an agent's output are shown in a second; a person reads a few dozen, and real agents say less."""
A_MOMENT = 0.02
"""How many seconds lines for a pipe or a file are held."""
AROUND_LIVE_TEXT = 15
"""The columns for what stands beside the text of the live line: a spinner, and a time such as `59m59s left`."""


class Terminal:
    """`say` writes ralph's lines to standard error, `out` the agent's to standard output, `busy` a live line.

    Control characters in a line are shown, not obeyed, and long lines are wrapped between words. With `timestamps` each
    line has the time it came.
    """

    def __init__(self, *, quiet: bool = False, color: str = "auto", timestamps: bool = False) -> None:
        self.quiet = quiet
        self._loop: asyncio.AbstractEventLoop | None = None
        """The event loop in which lines are held for a moment; None while each is written at once."""
        self._held: dict[TextIO, list[str]] = {}
        self._second, self._in_second = 0.0, 0
        """When the current second began, and how many lines of the agent were shown in it."""
        self._timestamps = timestamps
        # While the live line is shown, rich replaces `sys.stdout` and `sys.stderr`.
        self._stdout, self._stderr = sys.stdout, sys.stderr
        self._terminals = [stream for stream in (sys.stdout, sys.stderr) if stream.isatty()]
        live = not quiet and sys.stderr in self._terminals and os.environ.get("TERM") != "dumb"
        self._progress = _live_line(color) if live else None
        # If both are on one screen, the agent's lines must also go around the live line.
        self._shared = live and sys.stdout in self._terminals
        self._is_one_file = _is_one_file(sys.stdout, sys.stderr)
        self._printer = Printer()

    @contextmanager
    def holding(self) -> Generator[None]:
        """Hold lines for a moment inside the block, in a running event loop, and write those of a moment together.

        Only lines for a pipe or a file are held: a write wakes its reader, which costs more than the lines do.
        """
        import asyncio

        self._loop = asyncio.get_running_loop()
        try:
            yield
        finally:
            self._loop = None
            self._write_held()

    def say(self, line: str, style: str = "") -> None:
        if not self.quiet:
            self._show(self._stderr, [(masked(line), style)], self._printer.put)

    def out(self, lines: list[tuple[str, str]]) -> None:
        """Show the agent's lines, with their styles. A terminal that cannot keep up does not get all of them."""
        if not self.quiet:
            self._in_second += len(lines)
            self._show(self._stderr if self._shared else self._stdout, lines, self._printer.offer)

    def room(self) -> int:
        """How many pieces of the agent's output would be shown now: nobody reads thousands in a second. Those that are
        left out are counted: `leave_out`.
        """
        now = time.monotonic()
        if now - self._second >= 1:
            self._second, self._in_second = now, 0
        return MOST_IN_A_SECOND - self._in_second if self._printer.has_room else 0

    def leave_out(self, pieces: int) -> None:
        self._printer.dropped += pieces

    def insist(self, line: str) -> None:
        """Show a line even when quiet."""
        self.idle()
        self._write_held()
        self._printer.put(Written(self._stderr, self._shown(self._stderr, masked(line), self._stamp()) + "\n"))

    def busy(self, what: str, *, announce: bool = False) -> None:
        """Show what is going on, and for how long, until the next line of this kind. A pipe gets it at most once."""
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
        self._write_held()
        self._printer.drain()

    def _show_live(self, what: str, *, until: float | None = None) -> None:
        if self._progress is None:
            return
        self._progress.stop()
        for task in self._progress.task_ids:
            self._progress.remove_task(task)
        if what:
            room = max(1, self._progress.console.width - AROUND_LIVE_TEXT)
            self._progress.add_task(words.first_words(words.visible(masked(what)), room), until=until)
            self._progress.start()

    def _show(self, stream: TextIO, lines: list[tuple[str, str]], write: Callable[[Job], None]) -> None:
        if self._loop is None or stream in self._terminals:
            write(self._piece(stream, lines))
            return
        if not self._held:
            self._loop.call_later(A_MOMENT, self._write_held)
        held = self._held.setdefault(self._stdout if self._is_one_file else stream, [])
        stamp = self._stamp()
        held += [words.prefixed(line, stamp) for line, _ in lines]

    def _write_held(self) -> None:
        held, self._held = self._held, {}
        for stream, lines in held.items():
            # All lines are made safe in one call, because this is the most expensive step.
            self._printer.put(Written(stream, words.visible("\n".join(lines)) + "\n"))

    def _stamp(self) -> str:
        return stamp(time.time()) if self._timestamps else ""

    def _piece(self, stream: TextIO, lines: list[tuple[str, str]]) -> Job:
        stamp, progress = self._stamp(), self._progress
        if progress is None or stream is not self._stderr:
            return Written(stream, self._shown(stream, "\n".join([line for line, _ in lines]), stamp) + "\n")

        def around_the_live_line() -> None:
            for line, style in lines:
                progress.console.print(self._shown(stream, line, stamp), style=STYLES.get(style), markup=False)

        return around_the_live_line

    def _shown(self, stream: TextIO, text: str, stamp: str) -> str:
        """The text in a form that is safe for the terminal and fits it, with the time before each of its lines."""
        text = words.prefixed(words.visible(text), stamp)
        return wrapped(text, columns_of(stream)) if stream in self._terminals else text


def _is_one_file(first: TextIO, second: TextIO) -> bool:
    """Whether both lead to the same place, so that their lines must stay in order."""
    try:
        return os.path.samestat(os.fstat(first.fileno()), os.fstat(second.fileno()))
    except (OSError, ValueError):
        return False


def _live_line(color: str) -> "Progress":
    from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    from ralph.cli.display.steady import steady_console

    class Clock(ProgressColumn):
        """How long it has taken, or how long it will still take."""

        def render(self, task: Task) -> Text:
            until: float | None = task.fields.get("until")
            seconds = task.elapsed or 0.0 if until is None else max(0.0, until - time.time())
            return Text(words.duration(seconds) + ("" if until is None else " left"))

    # With "auto", rich checks the terminal and NO_COLOR.
    console = steady_console(stderr=True, soft_wrap=True, no_color=True if color == "never" else None)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), Clock())
    return Progress(*columns, console=console, transient=True, refresh_per_second=4)
