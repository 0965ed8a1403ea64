"""The message bus: what agents, ralph and people tell each other about a task, in a file that anyone can read.

Safe for any number of writers in any number of processes: a message that was posted is never lost, whatever befalls the
writers of others.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.model.errors import ConfigError
from ralph.store.bus_file import Reader, locked, opened, readable_errors, sync_directory, unlock
from ralph.store.bus_format import Gap, Message, check_word, new_message, render

if TYPE_CHECKING:
    from ralph.store.bus_mirror import Mirror

TASK_BUS = "TASK-MESSAGE-BUS.md"
PROJECT_BUS = "PROJECT-MESSAGE-BUS.md"

OnGap = Callable[[Gap], None]


class Bus:
    """For one thread. Kept, it reads only what is new; `on_gap` is told once of each stretch that is no message."""

    def __init__(self, path: Path, on_gap: OnGap | None = None, mirror: "Mirror | None" = None) -> None:
        self.path = path.parent.resolve() / path.name
        self._on_gap = on_gap
        self._mirrored_by = mirror
        self._names = _text(self.path), _text(self.path.parent) if path.name == TASK_BUS else None
        self._told_through = 0
        self._reader = Reader()
        self._newest = ""
        self._unmirrored: list[Message] = []
        self._unheard: list[Message] | None = None
        """What was read, but not asked for yet. Nothing is kept for those who never ask for news."""

    def post(self, type: str, body: str, run: str = "") -> Message:  # noqa: A002 - as the front matter calls it
        """On disk when this returns."""
        check_word("type", type)
        if run:
            check_word("run", run)
        if not body.strip():
            raise ConfigError("the message is empty.", "Say something.")
        with readable_errors("write", self.path), locked(self.path) as (file, now):
            found = self._reader.read(file, now)
            message = new_message(type, body, run, after=max(self._reader.last, self._newest))
            *_, size = now
            # The newline ends whatever a killed writer may have left behind.
            is_read = self._reader.append(file, (b"\n" if size else b"") + render(message), message.id)
            unlock(file)
            os.fsync(file)
            if not size:
                sync_directory(self.path.parent)
        self._newest = message.id
        others = self._messages(found)
        self._keep([*others, message] if is_read else others)
        self._keep_mirrored([*others, message])
        return message

    def read(self, since: str | None = None, type: str | None = None) -> list[Message]:  # noqa: A002 - as above
        """The messages after the id `since`, the oldest first. A bus that does not exist yet has none."""
        found = self._new(Reader(), whole=True)
        self._mirror(found)
        return [message for message in found if _wanted(message, since or "", type)]

    def news(self) -> list[Message]:
        """What came since this was last asked, the oldest first: everything at first, or if the file is another now."""
        if self._unheard is None:
            self._unheard = []
            self._reader.forget()
        with readable_errors("read", self.path):
            is_read = self._reader.has_all(self.path)
        if not is_read:
            found = self._new(self._reader)
            self._keep(found)
            self._keep_mirrored(found)
        heard, self._unheard = self._unheard, []
        return heard

    def follow(self, since: str | None = None, type: str | None = None) -> Iterator[Message]:  # noqa: A002 - as above
        """As `read`, and then those that come, for ever."""
        reader, last = Reader(), since or ""
        while True:
            found = self._new(reader)
            self._mirror(found)
            for message in found:
                if _wanted(message, last, type):
                    yield message
                last = max(last, message.id)
            reader.wait_for_change(self.path)

    def _new(self, reader: Reader, *, whole: bool = False) -> list[Message]:
        with readable_errors("read", self.path):
            try:
                with opened(self.path) as (file, now):
                    found = reader.read(file, now, whole=whole)
            except FileNotFoundError:
                reader.forget()
                return []
        return self._messages(found)

    def _messages(self, found: list[Message | Gap]) -> list[Message]:
        """Those among what was found; of the rest, whoever wants to know is told."""
        for gap in found:
            if isinstance(gap, Gap) and self._on_gap and gap.offset >= self._told_through:
                self._told_through = gap.offset + gap.size
                self._on_gap(gap)
        return [item for item in found if isinstance(item, Message)]

    def _keep(self, messages: list[Message]) -> None:
        if self._unheard is not None:
            self._unheard += messages

    def _keep_mirrored(self, messages: list[Message]) -> None:
        self._unmirrored += messages
        if self._mirror(self._unmirrored):
            self._unmirrored = []

    def _mirror(self, messages: list[Message]) -> bool:
        if not messages:
            return True
        from ralph.store.bus_mirror import mirror

        return mirror(*self._names, messages, self._mirrored_by)


def task_bus(task_dir: Path, on_gap: OnGap | None = None, mirror: "Mirror | None" = None) -> Bus:
    return Bus(task_dir / TASK_BUS, on_gap, mirror)


def project_bus(task_dir: Path, on_gap: OnGap | None = None, mirror: "Mirror | None" = None) -> Bus:
    return Bus(task_dir.resolve().parent / PROJECT_BUS, on_gap, mirror)


def _wanted(message: Message, since: str, kind: str | None) -> bool:
    return message.id > since and kind in (None, message.type)


def _text(path: Path) -> str:
    """A name on disk may be anything; the database takes only text."""
    return os.fsencode(path).decode(errors="replace")
