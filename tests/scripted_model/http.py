"""The sockets of the scripted model server: what is asked over a connection, and how each answer goes out."""

import json
import socket
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import TCPServer
from threading import Lock, Thread
from typing import Any

from ralph.testing.shapes import ScriptError
from scripted_model.base import Fault, ModelRequest, Protocol, dumps, encoded, is_object
from scripted_model.desk import Desk
from scripted_model.protocols import protocol_of
from scripted_model.script import Turn

LOOPBACK = "127.0.0.1"
SECONDS_TO_END = 5
CHARACTERS_OF_A_TOKEN = 4
MODEL = {"id": "scripted-model", "object": "model", "type": "model", "display_name": "Scripted", "owned_by": "ralph"}
MODELS = {"object": "list", "data": [MODEL], "models": [{"name": "models/scripted-model"}], "has_more": False}
JSON = {"Content-Type": "application/json"}
EVENT_STREAM = {"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)


class Listener(HTTPServer):
    """Serves each connection in a thread of its own, and ends them all when it is closed."""

    request_queue_size = 64

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._lock = Lock()
        self._threads: dict[socket.socket, Thread] = {}
        super().__init__((LOOPBACK, 0), Connection)

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
            self.close_connection = True
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
            self._send_chunks(EVENT_STREAM, [*protocol.failing_events(request, fault), b""])
            return
        after = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
        self._send_json(protocol.status(fault), protocol.error(request, fault), after | turn.headers)

    def _say(self, protocol: Protocol, request: ModelRequest, turn: Turn) -> None:
        reply = turn.reply(request)
        parts = (
            protocol.events(request, reply) if request.streams else [encoded(dumps(protocol.document(request, reply)))]
        )
        headers = EVENT_STREAM if request.streams else JSON
        if not (turn.cut or turn.hang):
            self._send_chunks(headers, [*parts, b""])
            return
        whole = b"".join(parts)
        # Without the empty chunk at its end the answer is not complete.
        self._send_chunks(headers, [whole[: len(whole) // 2]])
        self.close_connection = True
        if turn.hang:
            self._is_gone(None)

    def _refuse(self, protocol: Protocol, request: ModelRequest, problem: str) -> None:
        """Nothing in the script answers this: the program is told, and so is the test."""
        self.server.desk.complain(problem)
        self._send_json(400, protocol.error(request, Fault(400, f"scripted model server: {problem}")))

    def _note(self) -> None:
        self.server.desk.record(ModelRequest(path=self.path.partition("?")[0]))

    def _send_unknown(self) -> None:
        self._send_json(404, {"error": {"message": f"{self.command} {self.path} is not served here"}})

    def _send_json(self, status: int, document: Any, headers: dict[str, str] | None = None) -> None:
        body = encoded(dumps(document))
        self._begin(status, {**JSON, "Content-Length": str(len(body)), **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(body)

    def _send_chunks(self, headers: dict[str, str], chunks: list[bytes]) -> None:
        self._begin(200, {**headers, "Transfer-Encoding": "chunked"})
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))

    def _begin(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _is_gone(self, within: float | None) -> bool:
        """Wait so many seconds, or for ever; whether the client went away, or the server is being closed."""
        self.connection.settimeout(within)
        try:
            self.connection.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return False
        except OSError:
            return True
        else:
            return True
        finally:
            self.connection.settimeout(None)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the parent's name for it
        """Say nothing: the requests are on record."""
