"""The events of an OpenCode server about one session and its subagents' sessions."""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw, Struct, json

from ralph.agents.opencode_client import PROBLEM, SESSION
from ralph.agents.opencode_wire import (
    NOBODY_TO_ASK,
    Part,
    State,
    error_of,
    problem_of,
    todo_of,
    tokens_of,
    tool_end,
)
from ralph.agents.parser import JsonLines, decoded, short, summary
from ralph.agents.problems import classify
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Problem,
    Progress,
    Result,
    Retry,
    Subagent,
    Text,
    Thinking,
    Tokens,
    ToolStart,
)

MOST_RETRIES = 5
ENDED = ("completed", "error")


class Line(Struct, gc=False):
    type: str = ""
    properties: Raw = Raw(b"{}")


class Times(Struct, gc=False):
    end: float | None = None


class Piece(Part, gc=False, rename={"session": "sessionID", "message": "messageID"}):
    """A part of a message, which is sent again whenever it has grown."""

    id: str = ""
    type: str = ""
    session: str = ""
    message: str = ""
    synthetic: bool = False
    time: Times | None = None


class Info(Struct, gc=False, rename={"parent": "parentID"}):
    id: str = ""
    role: str = ""
    parent: str = ""
    title: str = ""


class Status(Struct, gc=False):
    type: str = ""
    attempt: int = 0
    message: str = ""


class Properties(Struct, gc=False, rename={"session": "sessionID"}):
    session: str = ""
    part: Piece | None = None
    info: Info | None = None
    status: Status | None = None
    error: Raw = Raw()
    message: str = ""
    kind: str = ""
    until: float | None = None


_properties = json.Decoder(Properties)


class OpenCodeEvents(JsonLines):
    line_type = Line

    def __init__(self) -> None:
        super().__init__()
        self._tokens = Tokens()
        self._cost = 0.0
        self._begin("")

    def _begin(self, session: str) -> None:
        self._session = session
        self._agents: set[str] = set()
        """The messages of agents: those of the user are in the stream, too."""
        self._told: set[str] = set()
        """The parts that were reported completely."""
        self._begun: set[str] = set()
        """The tools that have begun."""
        self._children: dict[str, str] = {}
        """The sessions of working subagents, with their titles."""
        self._said = ""
        self._problem: Problem | None = None
        self._is_over = False

    def read(self, line: Any) -> Iterable[AnyEvent]:
        if line.type == "todo.updated":
            return (todo_of(line.properties),)
        about = decoded(_properties, line.properties, Properties())
        if line.type == "message.part.updated" and about.part:
            return self._part(about.part)
        if line.type == "message.updated" and about.info and about.info.role == "assistant":
            self._agents.add(about.info.id)
        return self._of_session(line.type, about)

    def rest(self) -> Iterable[AnyEvent]:
        return () if self._is_over or not self._problem else self._end()

    def _of_session(self, kind: str, about: Properties) -> Iterable[AnyEvent]:
        match kind:
            case "session.created" if about.info and about.info.parent:
                self._children[about.info.id] = short(about.info.title)
                return (Subagent(about.info.id, short(about.info.title), "started"),)
            case "session.status" if about.status and about.status.type == "retry":
                return (Retry(about.status.attempt, MOST_RETRIES, short(about.status.message)),)
            case "session.status" | "session.idle" if not about.status or about.status.type == "idle":
                return self._idle(about.session)
            case "session.error" if about.session == self._session:
                self._problem = self._problem or problem_of(about.error)
                return (Progress(short(self._problem.message)),)
            case _:
                return self._of_client(kind, about)

    def _of_client(self, kind: str, about: Properties) -> Iterable[AnyEvent]:
        if kind == SESSION:
            self._begin(about.session)
            return (Progress(f"session {about.session}"),)
        if kind == PROBLEM:
            self._problem = _told_by_client(about)
        return ()

    def _idle(self, session: str) -> Iterable[AnyEvent]:
        if title := self._children.pop(session, ""):
            return (Subagent(session, title, "ended"),)
        return self._end() if session == self._session and not self._is_over else ()

    def _end(self) -> Iterable[AnyEvent]:
        self._is_over = True
        words = self._problem.message if self._problem else self._said
        # For a model without a price here, the cost is not known.
        yield Result(words, self._problem is not None, self._cost or None, self._tokens, self._problem)

    def _part(self, part: Piece) -> Iterable[AnyEvent]:
        if part.message not in self._agents or part.id in self._told:
            return ()
        is_own = part.session == self._session
        match part.type:
            case "step-start" if is_own:
                # What was said in an earlier step is not the final message, and the session continues after an error.
                self._said, self._problem = "", None
            case "step-finish":
                self._told.add(part.id)
                return self._finish_step(part)
            case "tool" if part.state:
                return self._tool(part, part.state)
            case "text" | "reasoning" if part.time and part.time.end and not part.synthetic:
                self._told.add(part.id)
                return self._words(part, is_own=is_own)
            case _:
                pass
        return ()

    def _words(self, part: Piece, *, is_own: bool) -> Iterable[AnyEvent]:
        if part.type == "reasoning":
            return (Thinking(part.text),)
        if is_own:
            self._said = part.text
        return (Text(part.text, aside=not is_own),)

    def _finish_step(self, part: Piece) -> Iterable[AnyEvent]:
        self._tokens += tokens_of(part)
        if part.cost:
            self._cost += part.cost
            yield Progress(f"${self._cost:.4f} so far")

    def _tool(self, part: Piece, state: State) -> Iterable[AnyEvent]:
        if state.status == "pending":
            return
        started = ToolStart(part.callID, part.tool, summary(state.input))
        if part.id not in self._begun:
            self._begun.add(part.id)
            yield started
        if state.status in ENDED:
            self._told.add(part.id)
            if error_of(state).startswith(NOBODY_TO_ASK):
                yield PermissionDenied(started.name, started.summary)
            yield tool_end(part, state, watched=self.watched)


def _told_by_client(about: Properties) -> Problem:
    match about.kind:
        case "missing" | "auth" | "model" as kind:
            return Problem(kind, about.message)
        case _:
            return classify(about.message, until=about.until)
