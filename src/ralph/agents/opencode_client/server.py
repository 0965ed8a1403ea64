"""HTTP with an OpenCode server. Its answers are read up to a limit, and may be anything."""

from base64 import b64encode
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

T = TypeVar("T")

USER, PASSWORD = "OPENCODE_SERVER_USERNAME", "OPENCODE_SERVER_PASSWORD"
PATIENCE = 120.0
"""The most seconds without a byte. A working server sends a sign of life every ten."""
LONGEST_ANSWER = 1 << 20
LONGEST_EVENT = 32 << 20
SHOWN = 120
"""How many characters of an unusable answer are shown."""
OK = range(200, 300)
LOGIN_REFUSED = (401, 403)


class Trouble(Exception):
    """There will be no answer, for this reason. The kind is one of ralph's problems."""

    def __init__(self, message: str, kind: str = "other", until: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.until = until


class Health(msgspec.Struct):
    version: str


class Server:
    def __init__(
        self, endpoint: str, environ: Mapping[str, str], directory: str = "", patience: float = PATIENCE
    ) -> None:
        self.endpoint = endpoint.rstrip("/")
        self._patience = patience
        self._headers = {"Content-Type": "application/json"}
        if directory:
            # It is encoded, because a header holds no other characters; the server decodes it.
            self._headers["x-opencode-directory"] = quote(directory)
        self._password = environ.get(PASSWORD, "")
        if self._password:
            login = f"{environ.get(USER) or 'opencode'}:{self._password}".encode(errors="surrogateescape")
            self._headers["Authorization"] = f"Basic {b64encode(login).decode()}"

    def health(self) -> Health:
        return self.ask("GET", "/global/health", Health)

    def ask(self, method: str, path: str, kind: type[T], body: Any = None) -> T:
        content = self._answer(method, path, body, self._patience)
        try:
            return msgspec.json.decode(content, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise self._nonsense(f"{method} {path}", repr(_shown(content))) from None

    def tell(self, path: str, body: Any = None, patience: float | None = None) -> None:
        """Send a request, and accept any answer that is not a refusal."""
        self._answer("POST", path, body, patience or self._patience)

    def events(self) -> Iterator[bytes]:
        """The server's events about the directory from now on, one JSON object each. The first comes at once."""
        try:
            with self._response("GET", "/event", None, self._patience) as response:
                if "text/event-stream" not in (response.headers.get("content-type") or ""):
                    raise self._nonsense("GET /event", "no stream of events")
                yield from _events(response, self.endpoint)
        except TimeoutError as error:
            words = f"the OpenCode server at {self.endpoint} was silent for {self._patience:g} s"
            raise Trouble(words, "missing") from error
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from error

    def _answer(self, method: str, path: str, body: Any, patience: float) -> bytes:
        try:
            with self._response(method, path, body, patience) as response:
                content = response.read(LONGEST_ANSWER + 1)
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from error
        if len(content) > LONGEST_ANSWER:
            raise self._nonsense(f"{method} {path}", "the answer is too long")
        return content

    @contextmanager
    def _response(self, method: str, path: str, body: Any, patience: float) -> Generator[HTTPResponse]:
        address = urlsplit(self.endpoint)
        kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = kind(address.hostname or "", address.port, timeout=patience)
        content = None if body is None else msgspec.json.encode(body)
        try:
            connection.request(method, address.path + path, content, self._headers)
            with connection.getresponse() as response:
                self._refuse(response, f"{method} {path}")
                yield response
        finally:
            connection.close()

    def _refuse(self, response: HTTPResponse, request: str) -> None:
        if response.status in LOGIN_REFUSED:
            how = "does not take" if self._password else "requires a login, and there is no"
            raise Trouble(f"the OpenCode server at {self.endpoint} {how} {PASSWORD}", "auth")
        if response.status not in OK:
            words = _shown(response.read(4 * SHOWN))
            raise self._nonsense(request, f"status {response.status}" + (f": {words}" if words else ""))

    def _nonsense(self, request: str, answer: str) -> Trouble:
        return Trouble(f"the server at {self.endpoint} does not answer {request} as OpenCode does: {answer}", "missing")

    def _unreachable(self, error: Exception) -> Trouble:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return Trouble(f"no OpenCode server answers at {self.endpoint}: {why}", "missing")


def _shown(content: bytes) -> str:
    return " ".join(content[: 4 * SHOWN].decode(errors="replace").split())[:SHOWN]


def _events(response: HTTPResponse, endpoint: str) -> Iterator[bytes]:
    """The server-sent events: lines of data, and an empty line at the end of each event."""
    data: list[bytes] = []
    size = 0
    while line := response.readline(LONGEST_EVENT):
        size += len(line)
        if size >= LONGEST_EVENT:
            raise Trouble(f"the server at {endpoint} sent an event of more than {LONGEST_EVENT >> 20} MiB", "missing")
        line = line.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            data.append(line[5:].strip())
        elif not line:
            if data:
                yield b" ".join(data)
            data, size = [], 0
