"""A script: the keys it may have, and which step is next."""

from __future__ import annotations

import json

from ralph.testing.files import read_text
from ralph.testing.shapes import ScriptError, check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMATS = ("claude", "codex", "amp", "text", "opencode", "gemini", "qwen", "copilot")

# Actions are performed in this order.
BEFORE_WAITING = {
    "expect_prompt?": str,
    "echo_prompt?": bool,
    "write?": {"*": str},
    "append?": {"*": str},
    "delete?": [str],
    "run?": str,
    "say?": str,
    "think?": str,
    "tool?": {"name": str, "input?": {"*": object}, "output?": str, "error?": bool},
    "todo?": [{"text": str, "status": ("pending", "in_progress", "completed")}],
    "raw?": str,
    "raw_base64?": str,
    "stderr?": str,
    "flood?": {"bytes": int, "line?": int, "kind?": ("text", "tool", "empty")},
    "line_of?": {"bytes": int},
    "spawn?": {"command": str, "setsid?": bool},
}
WAITING = {"sleep?": float, "hang?": (True, False, "hard")}
CLOSING = {"final?": str, "close_stdout?": bool}
ACTIONS = BEFORE_WAITING | WAITING | CLOSING
ENDING = {
    "cost?": float,
    "tokens?": {"input?": int, "output?": int, "cache_read?": int, "cache_write?": int},
    "is_error?": (bool, int),
    "no_result?": bool,
    "exit?": int,
    "kill?": str,
}
STEP = {"when?": {"prompt_contains": str}, "do?": [ACTIONS]} | ACTIONS | ENDING
SCRIPT = {"format?": FORMATS, "advance?": ("start", "end"), "after?": ("repeat", "error"), "steps": [STEP]}


class Script:
    def __init__(self, source: Any) -> None:
        check(SCRIPT, source, "script")
        self.format: str = source.get("format", "claude")
        self.advance: str = source.get("advance", "start")
        self.after: str = source.get("after", "repeat")
        self.steps: list[dict[str, Any]] = source["steps"]
        self._in_turn = [number for number, step in enumerate(self.steps, 1) if "when" not in step]
        for step in self.steps:
            if "kill" in step:
                _check_signal(step["kill"])

    def choose(self, prompt: str, taken: int) -> tuple[int, bool]:
        """The number of the step to play, or 0 if none is left; and whether it uses a turn."""
        for number, step in enumerate(self.steps, 1):
            if "when" in step and step["when"]["prompt_contains"] in prompt:
                return number, False
        if taken < len(self._in_turn):
            return self._in_turn[taken], True
        return self._in_turn[-1] if self._in_turn and self.after == "repeat" else 0, True


def load(path: str) -> Script:
    try:
        text = read_text(path)
        return Script(json.loads(text) if path.endswith(".json") else _from_yaml(text))
    except (OSError, ValueError, ScriptError) as error:
        raise ScriptError(f"{path}: {error}") from error


def plan(step: dict[str, Any]) -> list[tuple[str, Any]]:
    """The actions of a step, in the order in which they are performed."""
    actions = [action for part in step.get("do", ()) for action in _in_order(part)] + _in_order(step)
    if actions and actions[-1][0] == "close_stdout":
        actions.append(("hang", True))
    return actions


def _in_order(step: dict[str, Any]) -> list[tuple[str, Any]]:
    # Waiting comes before the final message, except for an agent that closes its output and keeps running.
    late = CLOSING | WAITING if step.get("close_stdout") else WAITING | CLOSING
    keys = [shape.rstrip("?") for shape in BEFORE_WAITING | late]
    return [(key, step[key]) for key in keys if step.get(key, False) is not False]


def _from_yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both load safely
    except yaml.YAMLError as error:
        raise ScriptError(" ".join(str(error).split())) from error


def _check_signal(name: str) -> None:
    import signal

    if name not in signal.Signals.__members__:
        raise ScriptError(f"kill must be the name of a signal, such as SIGKILL, not {name!r}")
