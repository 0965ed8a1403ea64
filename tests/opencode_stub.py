"""A small HTTP server that plays `opencode serve`: it answers as it is told, and remembers what it was asked."""

import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ID = "ses_1"
CONNECTED = {"type": "server.connected", "properties": {}}
IDLE = {"type": "session.idle", "properties": {"sessionID": ID}}
MESSAGE = {"type": "message.updated", "properties": {"sessionID": ID, "info": {"id": "msg_1", "role": "assistant"}}}
HANG_UP = object()
"""In place of an event: the stream ends."""


def part(kind, number=1, *, session=ID, message="msg_1", **fields):
    body = {"id": f"prt_{number}", "type": kind, "sessionID": session, "messageID": message, **fields}
    return {"type": "message.part.updated", "properties": {"sessionID": session, "part": body}}


def says(text, number=1, **fields):
    return part("text", number, text=text, time={"start": 1, "end": 2}, **fields)


def step(cost=0.0, number=90, **tokens):
    return part("step-finish", number, reason="stop", cost=cost, tokens=tokens)


def status(kind, **fields):
    return {"type": "session.status", "properties": {"sessionID": ID, "status": {"type": kind, **fields}}}


def asks(permission="per_1"):
    return {"type": "permission.asked", "properties": {"sessionID": ID, "id": permission, "permission": "bash"}}


class OpenCodeStub:
    """`with OpenCodeStub(event, ...) as stub`: the events are sent once the prompt has come.

    `answers` replaces what it says to a request, by method and path: `(status, body)`, of which the body may be bytes.
    `busy` are the titles of sessions that are at work already, by their ids.
    """

    def __init__(self, *events, password="", answers=None, busy=None, until_aborted=False):
        self.events = events
        self.password = password
        self.answers = answers or {}
        self.busy = busy or {}
        self.until_aborted = until_aborted
        self.asked = []
        self.prompted = threading.Event()
        self.aborted = threading.Event()
        self.is_over = threading.Event()

    def __enter__(self):
        stub = self

        class Handler(_Handler):
            owner = stub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}"

    def bodies(self, path):
        return [body for _, asked, body, _ in self.asked if asked == path]

    def headers(self, path):
        return next(headers for _, asked, _, headers in self.asked if asked == path)


class _Handler(BaseHTTPRequestHandler):
    owner: OpenCodeStub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._handle()

    def do_POST(self):
        self._handle()

    def _handle(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw) if raw else None
        self.owner.asked.append((self.command, self.path, body, dict(self.headers)))
        login = self.headers.get("authorization")
        with suppress(OSError):
            if self.owner.password and login != f"Basic {self.owner.password}":
                self._say(401, b"")
            elif answer := self.owner.answers.get(f"{self.command} {self.path}"):
                self._say(*answer)
            elif self.path == "/event":
                self._stream()
            else:
                self._say(200, self._answer())

    def _answer(self):
        stub = self.owner
        if self.path == "/session/status":
            return {name: {"type": "busy"} for name in stub.busy}
        if self.path == "/global/health":
            return {"healthy": True, "version": "9.9"}
        if self.path.endswith("/prompt_async"):
            stub.prompted.set()
        if self.path.endswith("/abort"):
            stub.aborted.set()
        name = self.path.rpartition("/")[2]
        return {"id": ID, "title": stub.busy.get(name, "")}

    def _say(self, code, body):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self._send(CONNECTED)
        stub = self.owner
        _wait(stub.prompted, stub)
        for event in stub.events:
            if event is HANG_UP:
                self.close_connection = True
                return
            self._send(event)
        if stub.until_aborted:
            _wait(stub.aborted, stub)
            self._send(IDLE)
        stub.is_over.wait(30)

    def _send(self, event):
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        self.wfile.write(b"data: " + data + b"\n\n")
        self.wfile.flush()


def _wait(event, stub):
    until = time.monotonic() + 30
    while not event.wait(0.01) and not stub.is_over.is_set() and time.monotonic() < until:
        pass
