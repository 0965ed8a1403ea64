"""The Agent Client Protocol from the agent's side: JSON-RPC messages, with the work in `session/update`
notifications.
"""

from collections.abc import Iterable
from typing import Any

from ralph.agents.acp_client import DENIED, PROBLEM
from ralph.agents.acp_wire import Error, Line, Outcome, Params, PlanEntry, Update
from ralph.agents.parser import JsonLines, summary
from ralph.agents.problems import classify
from ralph.model.events import (
    AnyEvent,
    PermissionDenied,
    Problem,
    Progress,
    Result,
    Text,
    Thinking,
    Todo,
    TodoItem,
    Tokens,
    ToolEnd,
    ToolStart,
)

AUTH_REQUIRED = -32000
ENDED = ("completed", "failed")


class Tool:
    """What is known about a tool call so far: it arrives in pieces."""

    def __init__(self) -> None:
        self.name = ""
        self.kind = ""
        self.title = ""
        self.arguments = ""
        self.shown = False

    def learn(self, update: Update) -> None:
        self.name = update.tool_name or self.name
        self.kind = update.kind or self.kind
        self.title = update.title or self.title
        self.arguments = summary(update.raw_input) or self.arguments

    @property
    def called(self) -> tuple[str, str]:
        """The tool's name, and its most telling argument."""
        named = self.name or (self.kind if self.kind != "other" else "") or self.title or "tool"
        return named, self.arguments or (self.title if self.title != named else "")


class AcpParser(JsonLines):
    line_type = Line

    def __init__(self) -> None:
        super().__init__()
        self._tools: dict[str, Tool] = {}
        self._ended: set[str] = set()
        self._cost: float | None = None
        self._speech = Speech()

    def read(self, line: Any) -> Iterable[AnyEvent]:
        if line.params:
            return self._told(line.method, line.params)
        if line.error:
            return self._closing(_problem(line.error))
        if line.result and line.result.stop_reason:
            return self._turn_ended(line.result)
        return _opened(line.result) if line.result else ()

    def _told(self, method: str, params: Params) -> Iterable[AnyEvent]:
        match method:
            case "session/update" if params.update:
                return self._update(params.update)
            case "session/request_permission" if params.tool_call:
                return self._tool(params.tool_call)
            case str(name) if name == DENIED and params.tool_call:
                return self._denied(params.tool_call)
            case str(name) if name == PROBLEM:
                return self._closing(Problem(params.kind, params.message))
            case _:
                return ()

    def _update(self, update: Update) -> Iterable[AnyEvent]:
        match update.session_update:
            case "agent_message_chunk" | "agent_thought_chunk":
                return self._speech.chunk(update)
            case "tool_call" | "tool_call_update":
                return self._tool(update)
            case "plan":
                return _todo(update.entries)
            case "plan_update" if update.plan:
                return _todo(update.plan.entries)
            case "usage_update" if update.cost and update.cost.currency in ("USD", ""):
                self._cost = update.cost.amount
            case _:
                pass
        return ()

    def _tool(self, update: Update) -> Iterable[AnyEvent]:
        """The events of a tool call. It begins with the first message about it, whatever that is, and ends once."""
        key = update.tool_call_id
        if key in self._ended:
            return
        if key not in self._tools:
            yield from self._speech.interrupt()
        tool = self._tools.setdefault(key, Tool())
        tool.learn(update)
        if not tool.shown and (tool.arguments or update.status not in (None, "pending")):
            tool.shown = True
            yield ToolStart(key, *tool.called)
        if update.status in ENDED:
            del self._tools[key]
            self._ended.add(key)
            # Tool output is most of a stream: it is decoded only if somebody needs it.
            yield ToolEnd(key, update.output if self.watched else "", update.status == "failed")

    def _denied(self, update: Update) -> Iterable[AnyEvent]:
        tool = self._tools.get(update.tool_call_id, Tool())
        tool.learn(update)
        yield PermissionDenied(*tool.called)

    def _turn_ended(self, outcome: Outcome) -> Iterable[AnyEvent]:
        tokens = outcome.usage.tokens if outcome.usage else Tokens()
        if outcome.stop_reason != "end_turn":
            reason = Problem("other", f"the agent stopped early: {outcome.stop_reason}")
            yield from self._closing(reason, tokens)
            return
        yield from self._remaining()
        yield Result(self._speech.final, cost_usd=self._cost, tokens=tokens)

    def _closing(self, problem: Problem, tokens: Tokens = Tokens()) -> Iterable[AnyEvent]:  # noqa: B008 - frozen
        yield from self._remaining()
        yield Result(problem.message, is_error=True, cost_usd=self._cost, tokens=tokens, problem=problem)

    def _remaining(self) -> Iterable[AnyEvent]:
        """The events that were held back until more was known."""
        yield from self._speech.flush()
        for key, tool in self._tools.items():
            if not tool.shown:
                tool.shown = True
                yield ToolStart(key, *tool.called)


class Speech:
    """Chunks of messages and thoughts, joined again."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._whose = ("", None, False)
        self._final: list[str] = []
        self._final_id: str | None = None
        self._interrupted = False

    @property
    def final(self) -> str:
        """The last message in the agent's own name, if no tool was called after it."""
        return "".join(self._final)

    def chunk(self, update: Update) -> Iterable[AnyEvent]:
        text = update.text
        whose = (update.session_update, update.message_id, update.aside)
        if whose != self._whose:
            yield from self.flush()
            self._whose = whose
        self._pieces.append(text)
        if update.session_update != "agent_message_chunk":
            self._interrupted = True
        elif not update.aside:
            self._finally(text, update.message_id)

    def interrupt(self) -> Iterable[AnyEvent]:
        """Note that a tool is called: what was said before it is not the final message."""
        self._final = []
        self._interrupted = True
        yield from self.flush()

    def flush(self) -> Iterable[AnyEvent]:
        text, self._pieces = "".join(self._pieces), []
        kind, _, aside = self._whose
        if text:
            yield Text(text, aside) if kind == "agent_message_chunk" else Thinking(text)

    def _finally(self, text: str, message_id: str | None) -> None:
        # Without ids, a message lasts until the agent does something else.
        if message_id != self._final_id or (message_id is None and self._interrupted):
            self._final = []
            self._final_id = message_id
        self._interrupted = False
        self._final.append(text)


def _opened(outcome: Outcome) -> Iterable[AnyEvent]:
    if outcome.agent_info:
        yield Progress(f"{outcome.agent_info.name} {outcome.agent_info.version}".strip())
    if outcome.session_id:
        yield Progress(f"session {outcome.session_id[:8]}")


def _todo(entries: list[PlanEntry] | None) -> Iterable[AnyEvent]:
    if entries is not None:
        yield Todo([TodoItem(entry.content, entry.status) for entry in entries])


def _problem(error: Error) -> Problem:
    message = ": ".join(part for part in (error.message, error.details.text) if part) or f"error {error.code}"
    if error.code == AUTH_REQUIRED:
        return Problem("auth", message)
    found = classify(message)
    # Claude's own word for the answer of its model's service.
    return found if found.kind != "other" else Problem(classify(error.details.error_kind).kind, message, found.until)
