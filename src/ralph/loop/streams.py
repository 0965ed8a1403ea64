"""What agents say, while it is parsed, for viewers in the same process."""

from collections.abc import Callable
from typing import NamedTuple

from ralph.model.events import AnyEvent


class Heard(NamedTuple):
    run_id: str
    n: int
    """The number of the row with which the agent's action began: what is said comes after that row."""
    events: list[AnyEvent]
    """What it said and did since the last call."""


Listener = Callable[[Heard], None]


class Streams:
    """The listeners. Nothing is parsed for display while there are none."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._rooms: list[Callable[[], bool]] = []
        self.problem: Exception | None = None
        """Why a listener was dropped. Its failure must not affect the agent that is being read."""

    def listen(self, listener: Listener, has_room: Callable[[], bool]) -> None:
        """Tell this listener. `has_room` says whether it could show something now."""
        self._listeners.append(listener)
        self._rooms.append(has_room)

    def has_room(self) -> bool:
        return any(has_room() for has_room in self._rooms)

    def emitter(self, run_id: str, n: int) -> Callable[[list[AnyEvent]], None] | None:
        if not self._listeners:
            return None

        def emit(events: list[AnyEvent]) -> None:
            heard = Heard(run_id, n, events)
            for listener in tuple(self._listeners):
                try:
                    listener(heard)
                except Exception as error:  # noqa: BLE001 - see `problem`
                    self._listeners.remove(listener)
                    self.problem = error

        return emit
