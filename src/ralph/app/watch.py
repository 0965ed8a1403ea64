"""What a face is told while a run goes on. It tails the journal; nothing below knows that it is there."""

from collections.abc import Callable
from typing import Protocol

from ralph.model.events import AnyEvent
from ralph.model.runs import Run
from ralph.model.verdicts import AnyVerdict
from ralph.store.journal import Record


class Watcher(Protocol):
    on_event: Callable[[AnyEvent], None] | None
    """Gets what the agent says and does, as it happens; none if nobody wants to see it."""

    def started(self, run: Run, *, resumed: bool) -> None: ...

    def record(self, record: Record) -> None: ...

    def signalled(self) -> None: ...

    def ended(self, run: Run, verdict: AnyVerdict) -> None: ...

    def below(self, name: str) -> "Watcher":
        """Who watches a run that is a part of this one."""
        ...
