"""A model that follows a script, served on loopback in the protocols of the known providers.

usage: python -m ralph.testing.model_server SCRIPT [--port PORT]

SCRIPT is a .json or .yaml file. The address is printed once requests are taken; SIGINT or SIGTERM ends it.
"""

import signal
import sys
from argparse import ArgumentParser
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Literal, Self

from ralph.testing.models.base import ModelRequest
from ralph.testing.models.desk import Desk
from ralph.testing.models.http import LOOPBACK, Listener
from ralph.testing.models.script import ModelScript, load
from ralph.testing.shapes import ScriptError

BAD_SCRIPT = 2
POLL_SECONDS = 0.02


class ModelServer:
    """`with ModelServer({"tool": {"shell": "make"}}, {"say": "Done."}) as server:` answers at `server.url`."""

    def __init__(
        self,
        *turns: dict[str, Any],
        after: Literal["repeat", "error"] = "repeat",
        without_tools: Literal["side", "turn"] = "side",
        usage: dict[str, int] | None = None,
        port: int = 0,
    ) -> None:
        source = {"turns": list(turns), "after": after, "without_tools": without_tools, "usage": usage or {}}
        self._desk = Desk(ModelScript(source))
        self._listener = Listener(self._desk, port)
        self._thread = Thread(target=self._listener.serve_forever, args=(POLL_SECONDS,), daemon=True)

    @classmethod
    def of_file(cls, path: Path | str, port: int = 0) -> Self:
        """A server for the script in a .json or .yaml file."""
        source = load(str(path))
        return cls(*source.pop("turns"), **source, port=port)

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


def main() -> None:
    parser = ArgumentParser(prog="python -m ralph.testing.model_server", description="Serve a scripted model.")
    parser.add_argument("script", metavar="SCRIPT", help="a .json or .yaml file")
    parser.add_argument("--port", type=int, default=0, help="a port of 127.0.0.1; any free one if it is left out")
    given = parser.parse_args()
    try:
        server = ModelServer.of_file(given.script, given.port)
    except (ScriptError, OSError) as error:
        sys.stderr.write(f"model server: {error}\n")
        sys.exit(BAD_SCRIPT)
    # Blocked before any thread starts, so that every thread leaves them to the wait below.
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    with server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        signal.sigwait(ends)


if __name__ == "__main__":
    main()
