"""A model that follows a script, served on loopback in the protocols of the known providers."""

from threading import Thread
from types import TracebackType
from typing import Any, Literal, Self

from scripted_model.base import ModelRequest
from scripted_model.desk import Desk
from scripted_model.http import LOOPBACK, Listener
from scripted_model.script import ModelScript

POLL_SECONDS = 0.02


class ModelServer:
    """`with ModelServer({"tool": {"shell": "make"}}, {"say": "Done."}) as server:` answers at `server.url`."""

    def __init__(
        self,
        *turns: dict[str, Any],
        after: Literal["repeat", "error"] = "repeat",
        without_tools: Literal["side", "turn"] = "side",
        usage: dict[str, int] | None = None,
    ) -> None:
        source = {"turns": list(turns), "after": after, "without_tools": without_tools, "usage": usage or {}}
        self._desk = Desk(ModelScript(source))
        self._listener = Listener(self._desk)
        self._thread = Thread(target=self._listener.serve_forever, args=(POLL_SECONDS,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._listener.end()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self._listener.server_port}"

    @property
    def requests(self) -> list[ModelRequest]:
        """Everything that was asked so far, in the order in which it came."""
        return self._desk.requests

    @property
    def conversation(self) -> list[ModelRequest]:
        """The requests that a turn of the script answered."""
        return [request for request in self.requests if request.turn]

    @property
    def problems(self) -> list[str]:
        """Why requests were refused that the script did not mean to refuse."""
        return self._desk.problems

    def wait_for_turn(self, number: int, timeout: float = 60) -> ModelRequest:
        """The first request that this turn answers, as soon as it is there; else a TimeoutError."""
        return self._desk.wait_for_turn(number, timeout)
