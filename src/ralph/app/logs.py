"""What the agent said in a run: from the recorded streams, now or as they grow."""

import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from ralph.agents.parser import Parser
from ralph.agents.run import STREAM
from ralph.app.inspect import Attempt, attempt_dir, open_run, parts
from ralph.app.plan import plan_again
from ralph.model.events import AnyEvent
from ralph.model.runs import Run

CHUNK = 1 << 20
LOOK_AGAIN = 0.1


class Piece(Struct, frozen=True):
    """A stretch of one attempt's stream. `raw` is what the agent wrote; `events` is what it meant."""

    attempt: Attempt
    raw: bytes
    events: list[AnyEvent]


def pieces(run_id: str | None, project: Path, *, follow: bool) -> Iterator[Piece]:
    run, attempts = open_run(run_id, project)
    readers: dict[Path, _Reader] = {}
    while True:
        everything = [(run, attempts), *parts(run)]
        for whose, made in everything:
            for attempt in made:
                path = attempt_dir(whose, attempt) / STREAM
                if path not in readers and attempt.has_agent:
                    readers[path] = _Reader(path, _parser(whose), attempt)
                if path in readers:
                    over = whose.status != "running" or attempt is not made[-1]
                    yield from readers[path].new(over=over)
        if not follow or run.status != "running":
            return
        time.sleep(LOOK_AGAIN)
        # New attempts may have begun meanwhile. If the run has ended, what it wrote last is still read.
        run, attempts = open_run(run.id, project)


class _Reader:
    def __init__(self, path: Path, parser: Parser, attempt: Attempt) -> None:
        self._path = path
        self._parser = parser
        self._attempt = attempt
        self._offset = 0
        self._finished = False

    def new(self, *, over: bool) -> Iterator[Piece]:
        """Whole lines only; the last one may still be being written, unless the attempt is over."""
        if not self._path.is_file() or self._finished:
            return
        with self._path.open("rb") as file:
            file.seek(self._offset)
            while data := file.read(CHUNK):
                end = data.rfind(b"\n") + 1 or len(data)
                file.seek(self._offset + end)
                self._offset += end
                found: list[AnyEvent] = []
                self._parser.feed(data[:end], found.append)
                yield Piece(self._attempt, data[:end], found)
        if over:
            self._finished = True
            rest: list[AnyEvent] = []
            self._parser.finish(rest.append)
            yield Piece(self._attempt, b"", rest)


def _parser(run: Run) -> Parser:
    plan = plan_again(run)
    assert plan.agent  # noqa: S101 - asked for only where an agent has run
    return plan.agent.adapter.parser(stream=plan.settings.stream_agent_output)
