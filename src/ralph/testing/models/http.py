"""One connection to the scripted model server: what is asked over it, and how each answer goes out."""

import socket
from abc import abstractmethod
from http.server import HTTPServer
from threading import Lock, Thread

from ralph.testing.models.base import ModelRequest
from ralph.testing.models.script import Turn

SECONDS_TO_END = 5
CHARACTERS_OF_A_TOKEN = 4
MODELS = ("scripted-model",)
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)


class Listener(HTTPServer):
    """Serves each connection in a thread of its own, and ends them all when it is closed."""

    request_queue_size = 64

    def __init__(self, port: int) -> None:
        self._lock = Lock()
        self._open: dict[socket.socket, Thread] = {}
        super().__init__(("127.0.0.1", port), Connection)

    @abstractmethod
    def take(self, request: ModelRequest) -> Turn:
        """Record the request; the turn that answers it, or a ScriptError if none can."""

    @property
    @abstractmethod
    def requests(self) -> list[ModelRequest]: ...
