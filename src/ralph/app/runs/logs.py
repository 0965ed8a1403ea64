"""What the agents said in a run and in its parts: from the recorded streams, now or as they grow."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph.app.runs.history import with_parts
from ralph.app.runs.log_streams import LogStream, Offsets, Piece, log_stream
from ralph.model.rows import Row
from ralph.model.runs import LIVE, Run, parent_of
from ralph.store.follow import last_id, watch
from ralph.store.history import rows_of_parts, rows_with_ids, status_of
from ralph.store.projects import folder_of
from ralph.store.runs import get_run
from ralph.store.sql import Store

LOOK_AGAIN = 0.1
"""The seconds between two looks: a stream grows without a row in the journal."""


class Place(Struct, frozen=True):
    """How far somebody has read: up to this row, and up to these offsets in each active stream, by the row that began
    it.
    """

    row: int = 0
    offsets: Mapping[int, Offsets] = {}


def pieces(store: Store, run: Run, *, follow: bool, place: Place | None = None) -> Iterator[Piece]:
    """The pieces. With `follow` until the run is over, and then to the last byte."""
    reader = LogReader(store, run, place)
    # The status is read before the rows, so that the rows contain everything that was written before the run ended.
    is_live = status_of(store, run.id) in LIVE
    yield from reader.look(reader.past(), is_live=is_live)
    if not follow or not is_live:
        return
    for rows in watch(store, reader.place.row, run.id, LOOK_AGAIN):
        yield from reader.look(rows, is_live=is_live or bool(rows))
        if rows:
            continue
        if not is_live:
            return
        is_live = status_of(store, run.id) in LIVE


class _Heard(Struct, frozen=True):
    """What the end of an agent says about its output."""

    silent: bool = True


class LogReader:
    """Remembers the active streams. A look costs only what is new, however much there was before."""

    def __init__(self, store: Store, run: Run, place: Place | None = None) -> None:
        self._store = store
        self._run = run
        self._row = place.row if place else 0
        self._begin = place
        self._project = folder_of(store, run.project)
        self._parts: dict[str, Run | None] = {each.id: each for each in with_parts(store, run)}
        self._open: dict[tuple[str, str], LogStream] = {}

    @property
    def place(self) -> Place:
        return Place(self._row, {stream.source.row: stream.offsets for stream in self._open.values()})

    def past(self) -> list[Row]:
        """The rows that already exist, after the place where the reading begins."""
        if self._begin is None:
            self._row = last_id(self._store)
            rows = rows_of_parts(self._store, self._run.id, "streams")
            return sorted(rows, key=lambda row: row.id)
        for row in rows_with_ids(self._store, list(self._begin.offsets)):
            self._open_stream(row, self._begin.offsets[row.id])
        return []

    def look(self, rows: Iterable[Row], *, is_live: bool) -> Iterator[Piece]:
        """The pieces that these rows announce, and what the active streams have got since the last look."""
        over: list[LogStream] = []
        for row in rows:
            self._row = max(self._row, row.id)
            over += self._take(row)
        if not is_live:
            for stream in self._open.values():
                stream.end(None)
        for stream in sorted((*over, *self._open.values()), key=lambda each: each.source.row):
            for piece in stream.new():
                yield replace(piece, lost="") if piece.lost and self._was_silent(piece) else piece
        if not is_live:
            self._open.clear()

    def _was_silent(self, piece: Piece) -> bool:
        """Whether the agent printed nothing, as its end says, so that nothing of it can be lost."""
        end = next(iter(rows_with_ids(self._store, [piece.end.id] if piece.end else [])), None)
        try:
            return end is None or msgspec.json.decode(end.body, type=_Heard).silent
        except (msgspec.DecodeError, UnicodeDecodeError):
            return True

    def _take(self, row: Row) -> Iterator[LogStream]:
        """The streams that this row ends."""
        stream = self._open.get((row.run_id, row.key))
        match row.what:
            case "begun":
                self._open_stream(row)
            case "noted" if stream:
                stream.note(row)
            case "ended" | "failed" if stream:
                yield self._over((row.run_id, row.key), row)
            case "taken" | "closed":
                # What its last driver left active was killed: nobody has written its end.
                yield from [self._over(key, None) for key in list(self._open) if key[0] == row.run_id]
            case _:
                pass

    def _over(self, key: tuple[str, str], end: Row | None) -> LogStream:
        stream = self._open.pop(key)
        stream.end(end)
        return stream

    def _open_stream(self, begun: Row, offsets: Offsets | None = None) -> None:
        run = self._part(begun.run_id)
        if run and (stream := log_stream(run, begun, self._project, offsets)):
            self._open[begun.run_id, begun.key] = stream

    def _part(self, run_id: str) -> Run | None:
        """The run, if it is this one or a part of it: a run that an agent started has its own logs."""
        if run_id not in self._parts:
            above = parent_of(run_id)
            run = get_run(self._store, run_id) if above and self._part(above) else None
            self._parts[run_id] = run if run and run.is_part else None
        return self._parts[run_id]
