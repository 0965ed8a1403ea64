"""The message bus: what agents, ralph and people tell each other about a task, in a file that anyone can read.

Safe for any number of writers in any number of processes: a message that was posted is never lost, whatever befalls the
writers of others.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ralph.model.errors import ConfigError
from ralph.store.bus_file import Reader, locked, opened, readable_errors, sync_directory, unlock
from ralph.store.bus_format import Gap, Message, check_word, new_message, render
from ralph.store.files import write_all

TASK_BUS = "TASK-MESSAGE-BUS.md"
PROJECT_BUS = "PROJECT-MESSAGE-BUS.md"

OnGap = Callable[[Gap], None]


class Bus:
    """For one thread. Kept, it reads only what is new; `on_gap` is told once of each stretch that is no message."""

    def __init__(self, path: Path, on_gap: OnGap | None = None) -> None:
        self.path = path
        self._on_gap = on_gap
        self._told_through = 0
        self._writer = Reader()
        self._newest = ""
        self._unmirrored: list[Message] = []

    def post(self, type: str, body: str, run: str = "") -> Message:  # noqa: A002 - as the front matter calls it
        """On disk when this returns."""
        check_word("type", type)
        if run:
            check_word("run", run)
        if not body.strip():
            raise ConfigError("the message is empty.", "Say something.")
        with readable_errors("write", self.path), locked(self.path) as file:
            seen = _messages(self._writer.read(file))
            message = new_message(type, body, run, after=max(self._writer.last, self._newest))
            size = os.fstat(file).st_size
            # The newline ends whatever a killed writer may have left behind.
            write_all(file, (b"\n" if size else b"") + render(message))
            unlock(file)
            os.fsync(file)
            if not size:
                sync_directory(self.path.parent)
        self._newest = message.id
        self._unmirrored += [*seen, message]
        if self._mirror(self._unmirrored):
            self._unmirrored = []
        return message

    def read(self, since: str | None = None, type: str | None = None) -> list[Message]:  # noqa: A002 - as above
        """The messages after the id `since`, the oldest first. A bus that does not exist yet has none."""
        found = self._new(Reader(), whole=True)
        return [message for message in found if _wanted(message, since or "", type)]

    def follow(self, since: str | None = None, type: str | None = None) -> Iterator[Message]:  # noqa: A002 - as above
        """As `read`, and then those that come, for ever."""
        reader, last = Reader(), since or ""
        while True:
            for message in self._new(reader):
                if _wanted(message, last, type):
                    yield message
                last = max(last, message.id)
            reader.wait_for_change(self.path)

    def _new(self, reader: Reader, *, whole: bool = False) -> list[Message]:
        with readable_errors("read", self.path):
            try:
                with opened(self.path) as file:
                    found = reader.read(file, whole=whole)
            except FileNotFoundError:
                reader.forget()
                return []
        self._tell(item for item in found if isinstance(item, Gap))
        messages = _messages(found)
        self._mirror(messages)
        return messages

    def _tell(self, gaps: Iterable[Gap]) -> None:
        for gap in gaps:
            if self._on_gap and gap.offset >= self._told_through:
                self._told_through = gap.offset + gap.size
                self._on_gap(gap)

    def _mirror(self, messages: list[Message]) -> bool:
        if not messages:
            return True
        from ralph.store.bus_mirror import mirror

        directory = self.path.parent.resolve()
        return mirror(directory / self.path.name, directory if self.path.name == TASK_BUS else None, messages)


def task_bus(task_dir: Path, on_gap: OnGap | None = None) -> Bus:
    return Bus(task_dir.resolve() / TASK_BUS, on_gap)


def project_bus(task_dir: Path, on_gap: OnGap | None = None) -> Bus:
    return Bus(task_dir.resolve().parent / PROJECT_BUS, on_gap)


def _messages(items: Iterable[Message | Gap]) -> list[Message]:
    return [item for item in items if isinstance(item, Message)]


def _wanted(message: Message, since: str, kind: str | None) -> bool:
    return message.id > since and kind in (None, message.type)
