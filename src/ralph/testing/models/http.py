"""The sockets of the scripted model server: what is asked over a connection, and how each answer goes out."""

import json
import socket
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import TCPServer
from threading import Lock, Thread
from typing import Any

from msgspec import to_builtins

from ralph.testing.models import protocol_of
from ralph.testing.models.base import Fault, Json, ModelRequest, Protocol, dumps, is_object
from ralph.testing.models.desk import Desk
from ralph.testing.models.script import Turn
from ralph.testing.shapes import ScriptError

LOOPBACK = "127.0.0.1"
SECONDS_TO_END = 5
CHARACTERS_OF_A_TOKEN = 4
MODEL = {"id": "scripted-model", "object": "model", "type": "model", "display_name": "Scripted", "owned_by": "ralph"}
MODELS = {"object": "list", "data": [MODEL], "models": [{"name": "models/scripted-model"}], "has_more": False}
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)


class Listener(HTTPServer):
    """Serves each connection in a thread of its own, and ends them all when it is closed."""

    request_queue_size = 64

    def __init__(self, desk: Desk, port: int) -> None:
        self.desk = desk
        self._lock = Lock()
        self._threads: dict[socket.socket, Thread] = {}
        super().__init__((LOOPBACK, port), Connection)

    def server_bind(self) -> None:
        # The parent's method asks the name service for this machine's name, which can take long.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.socket.getsockname()[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = Thread(target=self._serve, args=(request, client_address), daemon=True)
        with self._lock:
            self._threads[request] = thread
        thread.start()

    def _serve(self, connection: socket.socket, client_address: Any) -> None:
        try:
            # A client may go away at any time; that is what many tests are about.
            with suppress(ConnectionError):
                self.finish_request(connection, client_address)
        finally:
            self.shutdown_request(connection)
            with self._lock:
                del self._threads[connection]

    def end(self) -> None:
        self.shutdown()
        with self._lock:
            still = dict(self._threads)
        for connection, thread in still.items():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(SECONDS_TO_END)
        self.server_close()


class Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Listener  # pyright: ignore[reportIncompatibleVariableOverride] - the base class knows no narrower one

    def do_HEAD(self) -> None:
        self._note()
        self._send_json(200, {})

    def do_GET(self) -> None:
        plain = self.path.partition("?")[0]
        if plain == "/requests":
            self._send_json(200, to_builtins(self.server.desk.requests))
            return
        self._note()
        self._send_json(200, MODELS) if plain.endswith("/models") else self._send_unknown()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if protocol := protocol_of(self.path):
            self._answer(protocol, raw)
            return
        self._note()
        tokens = len(raw) // CHARACTERS_OF_A_TOKEN
        if self.path.partition("?")[0].endswith(("/count_tokens", ":countTokens")):
            self._send_json(200, {"input_tokens": tokens, "totalTokens": tokens})
        else:
            self._send_unknown()

    def _answer(self, protocol: Protocol, raw: bytes) -> None:
        request = ModelRequest(path=self.path.partition("?")[0])
        try:
            body = json.loads(raw)
            if not is_object(body):
                raise TypeError("it is not an object")
            request = protocol.read(self.path, body)
        except UNREADABLE as error:
            self.server.desk.record(request)
            self._refuse(protocol, request, f"the body cannot be read: {type(error).__name__} {error}")
            return
        try:
            turn = self.server.desk.take(request)
            self._play(protocol, request, turn)
        except ScriptError as error:
            self._refuse(protocol, request, str(error))

    def _play(self, protocol: Protocol, request: ModelRequest, turn: Turn) -> None:
        if turn.delay and self._is_gone(turn.delay):
            return
        if turn.fault:
            self._fail(protocol, request, turn, turn.fault)
        elif turn.hang and not (turn.say or turn.tool):
            self._is_gone(None)
            self.close_connection = True
        else:
            self._say(protocol, request, turn)

    def _fail(self, protocol: Protocol, request: ModelRequest, turn: Turn, fault: Fault) -> None:
        if turn.in_stream and request.streams:
            self._send_events(protocol.failing_events(request, fault))
            return
        after = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
        self._send_json(protocol.status(fault), protocol.error(request, fault), after | turn.headers)

    def _say(self, protocol: Protocol, request: ModelRequest, turn: Turn) -> None:
        reply = turn.reply(request)
        if not (turn.cut or turn.hang):
            if request.streams:
                self._send_events(protocol.events(request, reply))
            else:
                self._send_json(200, protocol.document(request, reply))
            return
        self._send_half(protocol, request, turn)

    ...

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the parent's name for it
        """Say nothing: the requests are on record."""
