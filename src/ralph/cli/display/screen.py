"""A run as it happens: agent output on standard output, ralph's own lines on standard error.

It follows the journal like any other screen; in the same process it also gets the agent's events as they are parsed.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress

import msgspec

from ralph.cli.display.events import EventLines, Line, Style
from ralph.cli.display.terminal import Terminal
from ralph.cli.display.verbose import Verbose
from ralph.config.schema import Settings
from ralph.loop.streams import Heard, Streams
from ralph.model import words
from ralph.model.events import Skipped
from ralph.model.rows import Row
from ralph.model.runs import Run, name_of_part, parent_of
from ralph.model.verdicts import AnyVerdict, next_step
from ralph.store.follow import Follower, follow, last_id
from ralph.store.journal import finished_steps
from ralph.store.runs import get_run
from ralph.store.sql import Store

AGENT, GIVE_UP = "run-agent/", "give-up/"
"""How the keys of these actions begin."""
INTERRUPTED = "interrupted"
STYLES = {"ok": "good", "bad": "bad", "warn": "warn", "quiet": "quiet"}
FINISHING = (
    "The current action finishes first. Press Ctrl-C again to end it at once. Either way, continue later: ralph resume"
)
ENDING = "The current action is being ended; a second Ctrl-C changes nothing. Continue later: ralph resume"
AT_LEAST = 0.05
"""The seconds between two looks at the journal: one look shows several rows."""


class Screen:
    def __init__(self, terminal: Terminal, *, stream: bool, verbose: bool = False, style: Style | None = None) -> None:
        self._terminal = terminal
        self._stream = stream and not terminal.quiet
        self._style = style
        self._verbose = Verbose(terminal) if verbose else None
        self._events: dict[str, EventLines] = {}
        self._shown: dict[str, int] = {}
        self._runs: dict[str, Run] = {}
        self._began = time.monotonic()
        self._top = ""
        self._following: Follower | None = None
        self._problem: Exception | None = None
        self._side_by_side: set[str] = set()
        """The active parts directly below the run."""

    @asynccontextmanager
    async def following(self, store: Store, run_id: str, streams: Streams) -> AsyncGenerator[None]:
        """Show the run and its parts inside the block, and up to its last row."""
        self._top = run_id
        following = self._following = Follower(store, last_id(store), run_id)
        if self._stream:
            streams.listen(self._heard, lambda: self._terminal.room() > 0)
        task = None if self._is_mute else asyncio.create_task(self._follow(following))
        try:
            with self._terminal.holding():
                yield
        finally:
            if task:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                self._look(following.pages())
                self._terminal.idle()
            if problem := self._problem or streams.problem:
                self._terminal.insist(f"ralph: this screen failed ({problem!r}); the run itself continued.")

    def signalled(self, *, at_once: bool) -> None:
        """Say what happens now, and what a second signal does."""
        self._terminal.insist("Received signal, shutting down...")
        self._terminal.insist(ENDING if at_once else FINISHING)

    def ended(self, run: Run, verdict: AnyVerdict, delivered_to: str = "", told: str = "") -> None:
        """Show the last lines: how it ended, where the work is, what was done last, where to look closer."""
        facts = [words.duration(time.monotonic() - self._began), *words.spent(run.cost_usd, run.tokens.total)]
        # What lists call it: only `ralph cancel` cancels a run for good.
        word = verdict.kind if verdict.is_told else INTERRUPTED
        line = f"{word}: {verdict.reason} · {' · '.join(facts)}"
        if verdict.kind == "verified":
            self._terminal.say(f"✓ {line}", "good")
            if delivered_to:
                self._terminal.say(f"  {delivered_to}")
        else:
            self._terminal.insist(f"✗ {line}")
            # A run that was stopped from outside can continue, and its reason says how.
            if step := next_step(verdict.kind, run.id, run.recipe, verdict.reason) if verdict.is_told else "":
                self._terminal.say(f"  {step}")
        for each in told.splitlines():
            self._terminal.say(f"  {each}")
        self._terminal.say(f"  Details: ralph show {run.id}", "quiet")
        self._terminal.drain()

    def warn(self, line: str) -> None:
        """Warn that something around the run went wrong. The verdict stays."""
        self._terminal.insist(f"ralph: {line}")
        self._terminal.drain()

    def hand_over(self) -> None:
        """Finish showing everything, so that other code may write to the terminal."""
        self._terminal.drain()

    def note(self, line: str) -> None:
        """Show a line before anything runs. It is written before this returns."""
        self._terminal.say(f"ralph: {line}")
        self._terminal.drain()

    def debug(self, line: str) -> None:
        if self._verbose:
            self._verbose.say(line)

    @property
    def _is_mute(self) -> bool:
        return self._terminal.quiet and self._verbose is None

    async def _follow(self, following: Follower) -> None:
        async for rows in follow(following, AT_LEAST):
            self._look([rows])

    def _look(self, pages: Iterable[list[Row]]) -> None:
        """Show what is new. An error of the screen does not stop the run."""
        if self._problem is None:
            try:
                self._show_pages(pages)
            except Exception as error:  # noqa: BLE001 - see above
                self._problem = error

    def _show_pages(self, pages: Iterable[list[Row]]) -> None:
        for rows in pages:
            for row in rows:
                self._shown[row.run_id] = row.n
                self._show(row)

    @property
    def _store(self) -> Store:
        assert self._following  # noqa: S101 - only rows need the store, and the follower reads them
        return self._following.store

    def _heard(self, heard: Heard) -> None:
        """Show an agent's events after the row with which the agent began, and before any later one."""
        if self._following and self._shown.get(heard.run_id, 0) < heard.n:
            self._show_pages(self._following.pages())
        events = self._events.get(heard.run_id)
        if events is None:
            events = self._events[heard.run_id] = EventLines(self._style)
        lines: list[Line] = []
        room = self._terminal.room()
        for event in heard.events:
            if isinstance(event, Skipped) or len(lines) >= room:
                self._terminal.leave_out(events.pass_over(event))
            else:
                lines += events.lines(event)
        if lines:
            self._say_agent(heard.run_id, lines)

    def _show(self, row: Row) -> None:
        match row.what:
            case "taken":
                self._taken(row)
            case "begun":
                self._begun(row)
            case "ended" | "failed":
                self._terminal.idle()
                self._ended(row)
                self._note_limit(row)
            case "closed" if row.run_id != self._top:
                self._closed(row)
            case _:
                pass
        if self._verbose:
            self._verbose.show(row, self._run(row.run_id))

    def _whose(self, run_id: str) -> str:
        """The name of the part, if several are active at once."""
        return f"[{self._run(run_id).label}] " if len(self._side_by_side) > 1 and run_id != self._top else ""

    def _taken(self, row: Row) -> None:
        if parent_of(row.run_id) == self._top:
            self._side_by_side.add(row.run_id)
        was_shown = row.run_id == self._top and row.run_id in self._runs
        run = self._runs[row.run_id] = get_run(self._store, row.run_id) or self._run(row.run_id)
        if was_shown:
            # The run only waited for an answer, which was given on this terminal.
            return
        steps = finished_steps(self._store, run.id, before=row.n)
        limit = [f"up to {words.count(run.limit, run.unit)}"] if run.limit else []
        who = [run.agent] if run.agent and run.recipe != "supervise" else [run.label] if run.label else []
        head = f"ralph run {run.id}" if run.id == self._top else f"▸ {run.recipe} {name_of_part(run.id)} · {run.id}"
        self._terminal.say(" · ".join([head, *who, *(["resumed"] if steps is not None else limit)]), "head")
        if steps:
            self._terminal.say(f"  {steps} finished steps taken from the journal", "quiet")

    def _begun(self, row: Row) -> None:
        run, key = self._run(row.run_id), row.name
        match row.mark:
            case "head":
                self._events[row.run_id] = EventLines(self._style)
                again = f" (attempt {row.attempt})" if row.attempt > 1 else ""
                of = f"/{run.limit}" if run.limit else ""
                whose = self._whose(run.id)
                self._terminal.say(f"── {whose}{run.unit} {key.iteration}{of}{again} ──", "head")
                self._terminal.busy(f"{run.unit} {key.iteration}{of}: the agent works")
            case "busy" | "step":
                self._terminal.busy(f"{self._whose(run.id)}{row.line}", announce=row.mark == "step")
            case _:
                self._lines(row)
                self._wait(row)

    def _wait(self, row: Row) -> None:
        """Show the end of the wait, if the run waits for a point in time."""
        run = get_run(self._store, row.run_id)
        if run and run.now and run.now.until and run.now.until > time.time():
            when = time.strftime("%H:%M:%S", time.localtime(run.now.until))
            if row.mark == "warn":
                self._terminal.say(f"    until {when}", "quiet")
            self._terminal.count_down(run.now.doing, run.now.until)

    def _closed(self, row: Row) -> None:
        self._side_by_side.discard(row.run_id)
        run = get_run(self._store, row.run_id) or self._run(row.run_id)
        good = row.mark == "ok"
        facts = [words.duration(row.at - run.started_at), *words.spent(run.cost_usd, run.tokens.total)]
        line = f"{run.recipe} {name_of_part(run.id)} {row.line} · {' · '.join(facts)}"
        self._terminal.say(f"{'✓' if good else '✗'} {line}", "good" if good else "bad")

    def _ended(self, row: Row) -> None:
        """Show the end of an action. An agent whose stream was shown has its closing line there; everything else has
        its own.
        """
        events = self._events.get(row.run_id) if row.mark == "ok" and row.key.startswith(AGENT) else None
        if events and (lines := events.complete()):
            self._say_agent(row.run_id, lines)
        else:
            self._lines(row)

    def _note_limit(self, row: Row) -> None:
        """Show the new limit from now on, if a person has raised it."""
        if row.key.startswith(GIVE_UP) and (run := get_run(self._store, row.run_id)):
            self._runs[row.run_id] = run

    def _say_agent(self, run_id: str, lines: list[Line]) -> None:
        before = f"  {self._whose(run_id)}"
        self._terminal.out([(words.prefixed(line, before), style) for line, style in lines])

    def _lines(self, row: Row) -> None:
        whose = self._whose(row.run_id)
        for line in row.line.splitlines():
            self._terminal.say(f"  {whose}{line}", STYLES.get(row.mark, ""))

    def _run(self, run_id: str) -> Run:
        if run_id not in self._runs:
            found = get_run(self._store, run_id)
            assert found  # noqa: S101 - a row has a run
            self._runs[run_id] = found
        return self._runs[run_id]


def make_screen(settings: Settings, *, verbose: bool = False, quiet: bool = False, timestamps: bool = False) -> Screen:
    """The screen that the settings describe; `timestamps` overrides theirs."""
    display = settings.display
    style = msgspec.convert(display, Style, from_attributes=True)
    terminal = Terminal(quiet=quiet, color=display.color, timestamps=timestamps or display.timestamps)
    return Screen(terminal, stream=settings.stream_agent_output, verbose=verbose, style=style)
