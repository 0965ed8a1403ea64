"""One session of an OpenCode server: open it, send the prompt, pass its events on, and wait for its end."""

import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from ralph.agents.opencode_client import SESSION
from ralph.agents.opencode_client.server import Server, Trouble
from ralph.proc.identity import lives, started

LONG_WAIT = 60.0
"""The server itself waits for a provider that refuses; if that takes more seconds than this, ralph waits, and says
so."""
MOST_RETRIES = 5
"""The most retries, because the server has no limit of its own."""
ABORT_PATIENCE = 2.0
TITLE = re.compile(r"ralph (?:\S+ )?\[(?P<host>[^:\]]+):(?P<pid>\d+):(?P<since>\d+\.\d+)\]")


class Opened(Struct):
    id: str


class Titled(Struct):
    title: str = ""


class Status(Struct):
    type: str = ""
    message: str = ""
    attempt: int = 0
    next: float = 0.0
    """The time of the next retry, in milliseconds since the epoch."""


class Created(Struct, rename={"parent": "parentID"}):
    id: str = ""
    parent: str = ""


class About(Struct, rename={"session": "sessionID"}):
    session: str = ""
    id: str = ""
    info: Created | None = None
    status: Status | None = None


class Event(Struct):
    type: str = ""
    properties: msgspec.Raw = msgspec.Raw(b"{}")


_event = msgspec.json.Decoder(Event)
_about = msgspec.json.Decoder(About)


class Session:
    def __init__(self, server: Server, note: Callable[[bytes], None], *, auto: bool) -> None:
        self._server = server
        self._note = note
        self._auto = auto
        self._id = ""
        self._known: set[str] = set()
        self._is_prompting = False
        self._is_open = False
        """Whether the session may be working."""
        self.cancelled = False

    def run(self, prompt: str, choices: dict[str, Any]) -> None:
        """Return when the session has nothing more to do; `choices` are the model, agent and variant."""
        self._abort_leftovers()
        events = self._server.events()
        # The first event says that the server listens. Only then nothing can be missed.
        next(events, None)
        self._id = self._server.ask("POST", "/session", Opened, {"title": _title()}).id
        self._known = {self._id}
        self._note(msgspec.json.encode({"type": SESSION, "properties": {"sessionID": self._id}}))
        self._prompt({**choices, "parts": [{"type": "text", "text": prompt}]})
        for data in events:
            if self._has_ended(data):
                self._is_open = False
                return
        raise Trouble(
            f"the OpenCode server at {self._server.endpoint} closed the connection before the work was done",
            self._fate(),
        )

    def cancel(self) -> bool:
        """Abort the work, so that its tools end, too. Returns False if there is nothing to wait for."""
        self.cancelled = True
        if self._is_open and not self._is_prompting:
            self._abort()
        return self._is_open

    def end(self) -> None:
        """End the session: it must not continue when nobody listens any longer."""
        if self._is_open:
            self._abort()

    def _prompt(self, body: dict[str, Any]) -> None:
        self._is_open = self._is_prompting = True
        self._server.tell(f"/session/{self._id}/prompt_async", body)
        self._is_prompting = False
        if self.cancelled:
            self._abort()

    def _has_ended(self, data: bytes) -> bool:
        try:
            event = _event.decode(data)
            about = _about.decode(event.properties)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False
        session = about.session or (about.info.id if about.info else "")
        if event.type == "session.created" and about.info and about.info.parent in self._known:
            self._known.add(about.info.id)
        if session not in self._known:
            return False
        self._note(data)
        match event.type:
            case "permission.asked":
                self._reply(about.id)
            case "question.asked":
                self._server.tell(f"/question/{about.id}/reject")
            case "session.status" if about.status:
                self._refuse_endless_retries(about.status)
            case _:
                pass
        is_idle = event.type == "session.idle" or bool(about.status and about.status.type == "idle")
        return is_idle and session == self._id

    def _reply(self, request: str) -> None:
        """Allow a request for this time only: a permanent permission would also apply to the user's own sessions."""
        reply = {"reply": "once" if self._auto else "reject"}
        self._server.tell(f"/permission/{request}/reply", reply)

    def _refuse_endless_retries(self, status: Status) -> None:
        until = status.next / 1000
        if status.type == "retry" and (until - time.time() > LONG_WAIT or status.attempt > MOST_RETRIES):
            # Only its words show what kind it is.
            raise Trouble(status.message or "the model's provider refuses for now", "", until)

    def _abort(self) -> None:
        try:
            self._server.tell(f"/session/{self._id}/abort", patience=ABORT_PATIENCE)
        except Trouble:
            # A server that is gone does no more work.
            return

    def _fate(self) -> str:
        """The kind of the trouble: a server that is still there may be asked again."""
        try:
            self._server.health()
        except Trouble:
            return "missing"
        return "other"

    def _abort_leftovers(self) -> None:
        """Abort sessions of killed clients, which would otherwise continue to work in this directory."""
        for session in self._leftovers():
            self._server.tell(f"/session/{session}/abort")

    def _leftovers(self) -> Iterator[str]:
        for session in self._server.ask("GET", "/session/status", dict[str, Status]):
            title = self._server.ask("GET", f"/session/{session}", Titled).title
            found = TITLE.fullmatch(title)
            if found and found["host"] == socket.gethostname() and not lives(int(found["pid"]), float(found["since"])):
                yield session


def _title() -> str:
    """The title by which a later client recognises whose session it was."""
    run = os.environ.get("RALPH_RUN_ID", "")
    return " ".join(filter(None, ("ralph", run, f"[{socket.gethostname()}:{os.getpid()}:{started()!r}]")))
