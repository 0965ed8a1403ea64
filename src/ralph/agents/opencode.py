"""OpenCode: `opencode run`, NDJSON with `--format json`."""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw, Struct

from ralph.agents.adapter import Adapter, Call, Invocation
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
from ralph.agents.parser import JsonLines, Parser, PlainText, summary
from ralph.agents.providers import PROVIDERS
from ralph.model.events import AnyEvent, PermissionDenied, Problem, Progress, Result, Text, Thinking, Tokens, ToolStart


class Line(Struct, gc=False):
    type: str = ""
    part: Part | None = None
    error: Raw = Raw()


class OpenCodeParser(JsonLines):
    """A parser without a closing line: after a step that stops, OpenCode may still shorten its context."""

    line_type = Line

    def __init__(self) -> None:
        super().__init__()
        self._said = ""
        self._stopped = False
        self._problem: Problem | None = None
        self._tokens = Tokens()
        self._cost = 0.0

    def read(self, line: Any) -> Iterable[AnyEvent]:
        part: Part | None = line.part
        match line.type:
            case "error":
                self._problem = problem_of(line.error)
                return (Progress(self._problem.message),)
            case "step_start":
                self._said, self._stopped, self._problem = "", False, None
            case "step_finish" if part:
                self._finish_step(part)
            case _ if part:
                return self._event(line.type, part)
            case _:
                pass
        return ()

    def rest(self) -> Iterable[AnyEvent]:
        if self._problem or self._stopped:
            words = self._problem.message if self._problem else self._said
            # For a model without a price here, the cost is not known.
            yield Result(words, self._problem is not None, self._cost or None, self._tokens, self._problem)

    def _finish_step(self, part: Part) -> None:
        self._stopped = part.reason == "stop"
        self._cost += part.cost
        self._tokens += tokens_of(part)

    def _event(self, kind: str, part: Part) -> Iterable[AnyEvent]:
        match kind:
            case "text":
                self._said = part.text
                return (Text(part.text),)
            case "reasoning":
                return (Thinking(part.text),)
            case "tool_use" if part.state:
                return self._tool(part, part.state)
            case _:
                return ()

    def _tool(self, part: Part, state: State) -> Iterable[AnyEvent]:
        """The events of a tool, which is reported when it has ended."""
        started = ToolStart(part.callID, part.tool, summary(state.input))
        yield started
        if part.tool == "todowrite":
            yield todo_of(state.input)
        if error_of(state).startswith(NOBODY_TO_ASK):
            yield PermissionDenied(started.name, started.summary)
        yield tool_end(part, state, watched=self.watched)


class OpenCode(Adapter):
    name = "opencode"
    reports_cost = True
    environment = ("OPENCODE_*", *PROVIDERS)

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:
        # Without a message among its arguments it reads all of stdin as the message.
        output = "json" if call.stream else "default"
        return Invocation([*command, "run", "--format", output, *flags], on_stdin=True)

    def parser(self, *, stream: bool) -> Parser:
        return OpenCodeParser() if stream else PlainText()

    def at(self, endpoint: str) -> tuple[Adapter, dict[str, str]]:
        """The adapter for a running `opencode serve`: its endpoint is not where a model is served."""
        from ralph.agents.opencode_server import OpenCodeServer

        return OpenCodeServer(endpoint), {}
