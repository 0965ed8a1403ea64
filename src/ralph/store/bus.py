"""The message bus: what agents, ralph and people tell each other about a task, in a file that anyone can read.

It is safe for any number of writers in any number of processes: a posted message is never lost, whatever happens to
other writers.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from ralph.model.errors import ConfigError
from ralph.store.bus_file import Reader, locked, opened, readable_errors, sync_directory, unlock
from ralph.store.bus_format import Gap, Message, check_word, new_message, render, word_of

TASK_BUS = "TASK-MESSAGE-BUS.md"
PROJECT_BUS = "PROJECT-MESSAGE-BUS.md"

OnGap = Callable[[Gap], None]


class Bus:
    """The bus, for one thread. A kept instance reads only what is new; `on_gap` is called once for each part that is
    not a message.
    """

    def __init__(self, path: Path, on_gap: OnGap | None = None, *, project: str = "", task: str = "") -> None:
        self.project, self.task = word_of(project), word_of(task)
        """The names that each posted message has."""
        self.path = path.parent.resolve() / path.name
        self._on_gap = on_gap
        self._told_through = 0
        self._reader = Reader()
        self._newest = ""
        self._unheard: list[Message] | None = None
        """Messages that were read and not asked for yet. Nothing is kept for callers that never ask for news."""

    def post(self, type: str, body: str, run: str = "") -> Message:  # noqa: A002 - as the front matter calls it
        """Post a message. It is on disk when this returns."""
        check_word("type", type)
        if run:
            check_word("run", run)
        if not body.strip():
            raise ConfigError("the message is empty.", "Write some text.")
        with readable_errors("write", self.path), locked(self.path) as (file, now):
            found = self._reader.read(file, now)
            last = max(self._reader.last, self._newest)
            message = new_message(type, body, run, after=last, project=self.project, task=self.task)
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
        return message

    def read(self, since: str | None = None, type: str | None = None) -> list[Message]:  # noqa: A002 - as above
        """The messages after the id `since`, the oldest first. A bus that does not exist yet has none."""
        found = self._new(Reader(), whole=True)
        return [message for message in found if _wanted(message, since or "", type)]

    def news(self) -> list[Message]:
        """The messages since the last call, the oldest first: all of them at first, or if the file was replaced."""
        if self._unheard is None:
            self._unheard = []
            self._reader.forget()
        with readable_errors("read", self.path):
            is_read = self._reader.has_all(self.path)
        if not is_read:
            found = self._new(self._reader)
            self._keep(found)
        heard, self._unheard = self._unheard, []
        return heard

    def follow(self, since: str | None = None, type: str | None = None) -> Iterator[Message]:  # noqa: A002 - as above
        """The messages that `read` gives, and then new ones as they arrive, without an end."""
        reader, last = Reader(), since or ""
        while True:
            found = self._new(reader)
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
        """The messages among what was found. `on_gap` is told about the rest."""
        for gap in found:
            if isinstance(gap, Gap) and self._on_gap and gap.offset >= self._told_through:
                self._told_through = gap.offset + gap.size
                self._on_gap(gap)
        return [item for item in found if isinstance(item, Message)]

    def _keep(self, messages: list[Message]) -> None:
        if self._unheard is not None:
            self._unheard += messages


def task_bus(task_dir: Path, on_gap: OnGap | None = None, *, project: str = "", task: str = "") -> Bus:
    """The bus of a task. The directory and the one around it name the task and its project, unless they are given."""
    here = task_dir.resolve()
    return Bus(task_dir / TASK_BUS, on_gap, project=project or here.parent.name, task=task or here.name)


def project_bus(task_dir: Path, on_gap: OnGap | None = None, *, project: str = "", task: str = "") -> Bus:
    """The bus of the project around a task, for messages about that task."""
    here = task_dir.resolve()
    return Bus(here.parent / PROJECT_BUS, on_gap, project=project or here.parent.name, task=task or here.name)


def _wanted(message: Message, since: str, kind: str | None) -> bool:
    return message.id > since and kind in (None, message.type)
