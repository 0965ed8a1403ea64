"""JSON-RPC with an agent, which is our child process and sends one message per line."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

CHUNK = 1 << 18
PATIENCE = 1.0
"""How many seconds the agent may take to end, after each way of asking it to."""
NOT_FOUND = -32601
STDOUT = 1


class Message(Struct, gc=False):
    id: int | str | UnsetType | None = UNSET
    method: str = ""
    params: Raw = Raw(b"{}")
    result: Raw = Raw(b"null")
    error: Raw = Raw()


class Refusal(Struct):
    message: str = ""
    data: dict[str, Any] | str | None = None

    @property
    def words(self) -> str:
        details = self.data.get("details") if isinstance(self.data, dict) else self.data
        return ": ".join(str(part) for part in (self.message, details) if part) or "an error without a message"


class Gone(Exception):
    """The agent ended, or closed its output, before it answered."""


class Refused(Exception):
    """The agent answered with an error."""


Answer = Callable[[Message], Any]
"""A function that gives the result for a request of the agent; `NotImplemented` if a client of this kind cannot do
it."""

_messages = msgspec.json.Decoder(Message)
_encode = msgspec.json.Encoder().encode


class Dialogue:
    def __init__(self, command: list[str], answer: Answer) -> None:
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._answer = answer
        self._asked = 0
        self._incoming = self._read()
        # A thread writes: an agent that is busy talking must not keep us from reading. Signal handlers may put.
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        Thread(target=self._write, daemon=True).start()

    def ask(self, method: str, params: dict[str, Any]) -> Raw:
        """The result, as the agent gave it. Requests of the agent are answered meanwhile."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        for message in self._incoming:
            if message.method:
                self._respond(message)
            elif message.id == self._asked:
                return _result(message)
        raise Gone(_ending(self._child))

    def tell(self, method: str, params: dict[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def end(self) -> None:
        """End the agent: closing its input asks it to end; signals force it."""
        self._outbox.put(None)
        for insist in (None, self._child.terminate, self._child.kill):
            if insist:
                insist()
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(PATIENCE)
                return

    def _respond(self, message: Message) -> None:
        if message.id is UNSET:
            return
        result = self._answer(message)
        if result is NotImplemented:
            error = {"code": NOT_FOUND, "message": f"ralph does not offer {message.method}"}
            self._send({"id": message.id, "error": error})
        else:
            self._send({"id": message.id, "result": result})

    def _send(self, message: dict[str, Any]) -> None:
        self._outbox.put(_encode({"jsonrpc": "2.0", **message}) + b"\n")

    def _write(self) -> None:
        pipe = self._child.stdin
        # It may be gone, or end while we write: reading shows that.
        with suppress(OSError):
            while pipe and (data := self._outbox.get()) is not None:
                write(pipe.fileno(), data)
        with suppress(OSError):
            if pipe:
                pipe.close()

    def _read(self) -> Iterator[Message]:
        for lines in self._lines():
            write(STDOUT, lines)
            yield from _decoded(lines)

    def _lines(self) -> Iterator[bytes]:
        """Complete lines, as many as are available at a time."""
        pipe = self._child.stdout
        begun: list[bytes] = []
        while pipe and (data := os.read(pipe.fileno(), CHUNK)):
            whole, newline, rest = data.rpartition(b"\n")
            if newline:
                yield b"".join((*begun, whole, newline))
                begun = []
            begun.append(rest)
        if any(begun):
            yield b"".join((*begun, b"\n"))


def write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def note(method: str, params: dict[str, Any]) -> None:
    """A line of our own in the agent's stream."""
    write(STDOUT, _encode({"jsonrpc": "2.0", "method": method, "params": params}) + b"\n")


def _decoded(lines: bytes) -> Iterator[Message]:
    """The messages in these lines. A line that is not a message is left out: it was passed on, and readers of the
    stream keep it.
    """
    try:
        found = _messages.decode_lines(lines)
    except msgspec.DecodeError:
        for line in lines.splitlines():
            with suppress(msgspec.DecodeError):
                yield _messages.decode(line)
    else:
        yield from found


def _result(message: Message) -> Raw:
    if bytes(message.error) in (b"", b"null"):
        return message.result
    try:
        refusal = msgspec.json.decode(message.error, type=Refusal)
    except msgspec.DecodeError:
        refusal = Refusal(bytes(message.error).decode(errors="replace"))
    raise Refused(refusal.words)


def _ending(child: "subprocess.Popen[bytes]") -> str:
    try:
        code = child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return "the agent closed its output before it answered"
    return f"the agent ended (exit code {code}) before it answered"
