"""Who is answered with what: the script's place, and a record of everything that was asked."""

from threading import Condition

from msgspec.structs import replace

from ralph.testing.shapes import ScriptError
from scripted_model.base import ModelRequest
from scripted_model.script import ModelScript, Turn
from scripted_model.side import is_side_request, side_turn


class Desk:
    """One for all connections of a server."""

    def __init__(self, script: ModelScript) -> None:
        self._script = script
        self._taken = 0
        self._changed = Condition()
        self._requests: list[ModelRequest] = []
        self._problems: list[str] = []

    @property
    def requests(self) -> list[ModelRequest]:
        with self._changed:
            return list(self._requests)

    @property
    def problems(self) -> list[str]:
        with self._changed:
            return list(self._problems)

    def take(self, request: ModelRequest) -> Turn:
        """Record the request; the turn that answers it, or a ScriptError if none is left."""
        if is_side_request(request, needs_tools=self._script.without_tools == "side"):
            self.record(request)
            return side_turn(request)
        with self._changed:
            number, used_up = self._script.choose(request, self._taken)
            self._taken += used_up
            self.record(replace(request, turn=number))
        if not number:
            raise ScriptError(f"the script has ended: all of its {len(self._script.turns)} turns are used up")
        return self._script.turns[number - 1]

    def record(self, request: ModelRequest) -> None:
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()

    def complain(self, problem: str) -> None:
        with self._changed:
            self._problems.append(problem)

    def wait_for_turn(self, number: int, timeout: float) -> ModelRequest:
        with self._changed:
            found = self._changed.wait_for(lambda: self._answered_by(number), timeout)
        if found is None:
            raise TimeoutError(f"no request took turn {number} within {timeout:g} seconds")
        return found

    def _answered_by(self, number: int) -> ModelRequest | None:
        return next((request for request in self._requests if request.turn == number), None)
