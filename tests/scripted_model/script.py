"""A model's script: the keys it may have, and which turn is next."""

from typing import Any

from msgspec import Struct, convert

from ralph.testing.shapes import ScriptError, check
from scripted_model.base import Fault, ModelRequest, Reply, Usage
from scripted_model.tools import called

USAGE = {"input?": int, "output?": int, "cache_read?": int, "cache_write?": int}
TURN = {
    "when?": {"prompt_contains": str},
    "delay?": float,
    "say?": str,
    "tool?": {"shell?": str, "name?": str, "input?": {"*": object}},
    "usage?": USAGE,
    "cut?": bool,
    "hang?": bool,
    "error?": int,
    "message?": str,
    "retry_after?": float,
    "headers?": {"*": str},
    "in_stream?": bool,
}
SCRIPT = {"turns": [TURN], "after?": ("repeat", "error"), "without_tools?": ("side", "turn"), "usage?": USAGE}
ANSWERS = ("say", "tool", "cut", "hang", "error")
OF_ERRORS = ("message", "retry_after", "headers", "in_stream")
KINDS_OF_TOOL = (["shell"], ["name"], ["input", "name"])
ERROR_STATUSES = range(400, 600)


class Turn(Struct, frozen=True):
    when: dict[str, str] = {}
    delay: float = 0
    say: str = ""
    tool: dict[str, Any] = {}
    usage: Usage = Usage()
    cut: bool = False
    hang: bool = False
    error: int = 0
    message: str = ""
    retry_after: float | None = None
    headers: dict[str, str] = {}
    in_stream: bool = False

    @property
    def fault(self) -> Fault | None:
        return Fault(self.error, self.message, self.retry_after) if self.error else None

    def reply(self, request: ModelRequest) -> Reply:
        """What the model says; a ScriptError if the request offers no tool that could do it."""
        return Reply(self.say, called(self.tool, request.tools) if self.tool else None, self.usage)

    def answers(self, request: ModelRequest) -> bool:
        """Whether this turn waits for just this prompt. A tool's result continues what went before."""
        return bool(self.when) and not request.tool_results and self.when["prompt_contains"] in request.prompt


class ModelScript:
    def __init__(self, source: Any) -> None:
        check(SCRIPT, source, "script")
        for number, turn in enumerate(source["turns"], 1):
            _check_turn(turn, f"script: turns {number}")
        common = source.get("usage", {})
        self.turns = [convert(turn | {"usage": common | turn.get("usage", {})}, Turn) for turn in source["turns"]]
        self.after: str = source.get("after", "repeat")
        self.without_tools: str = source.get("without_tools", "side")
        self._in_turn = [number for number, turn in enumerate(self.turns, 1) if not turn.when]
        self._check_end()

    def choose(self, request: ModelRequest, taken: int) -> tuple[int, bool]:
        """The number of the turn to play, 0 if none is left; and whether it is used up by that."""
        for number, turn in enumerate(self.turns, 1):
            if turn.answers(request):
                return number, False
        if taken < len(self._in_turn):
            return self._in_turn[taken], True
        return self._in_turn[-1] if self._in_turn and self.after == "repeat" else 0, False

    def _check_end(self) -> None:
        if self.after == "repeat" and self._in_turn and self.turns[self._in_turn[-1] - 1].tool:
            raise ScriptError(
                "script: the last turn calls a tool, and would be repeated for ever. "
                "Add a turn that says something, or set after to 'error'"
            )


def _check_turn(turn: dict[str, Any], where: str) -> None:
    given = [key for key in ANSWERS if turn.get(key, False) is not False]
    if not given:
        raise ScriptError(f"{where} needs one of: {', '.join(ANSWERS)}")
    if "error" in given:
        _check_error(turn, given, where)
    elif odd := [key for key in OF_ERRORS if key in turn]:
        raise ScriptError(f"{where}: {odd[0]} goes with an error")
    if turn.get("cut") and turn.get("hang"):
        raise ScriptError(f"{where}: choose cut or hang")
    if min(turn.get("delay", 0), turn.get("retry_after", 0)) < 0:
        raise ScriptError(f"{where}: delay and retry_after are seconds, and not less than 0")
    if "tool" in turn and sorted(turn["tool"]) not in KINDS_OF_TOOL:
        raise ScriptError(f"{where}: tool needs either shell, or name with input")


def _check_error(turn: dict[str, Any], given: list[str], where: str) -> None:
    if len(given) > 1:
        raise ScriptError(f"{where}: an error says nothing and calls nothing; take away {given[0]}")
    if turn["error"] not in ERROR_STATUSES:
        raise ScriptError(f"{where}: error must be a status from 400 to 599, not {turn['error']}")
