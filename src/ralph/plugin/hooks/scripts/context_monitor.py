"""PostToolUse hook: tells the agent how full its context is, once for each of five marks of a session.

It only advises, so after any error it says nothing and lets the session continue. At the start of a session it forgets
what it said before.
"""

from __future__ import annotations

import json
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NOTICE = (
    "Be mindful of remaining space. Plan to finish your current task within this session. If you discover follow-up"
    " work, add new stories to tasks.json — the next iteration will pick them up."
)
WARNING = (
    "Finish your current task and commit soon. Do not start additional tasks. If work remains, create new stories in"
    " tasks.json for the next iteration and capture any implementation details or insights in progress.txt so the next"
    " iteration has full context."
)
CRITICAL = (
    "Wrap up immediately. Do NOT start new work. Instead: (1) create tasks in tasks.json for any remaining work,"
    " (2) write implementation details, insights, and handoff notes to progress.txt, (3) commit all changes, (4) stop."
    " The next iteration will continue from where you left off."
)
MARKS = (
    (50, "NOTICE", NOTICE),
    (60, "NOTICE", NOTICE),
    (70, "WARNING", WARNING),
    (80, "WARNING", WARNING),
    (90, "CRITICAL", CRITICAL),
)
WINDOW, DIVISOR = 200_000, 4.0
TAILS = (512 * 1024, 8 * 1024 * 1024)
"""How much of a transcript's end is read for the last token count; the larger size is for very long lines."""
COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def main() -> int:
    try:
        payload = json.loads(sys.stdin.buffer.read())
        state = _state_file(str(payload["session_id"]), os.environ)
        if payload.get("hook_event_name") == "SessionStart":
            _forget(state)
            return 0
        told = _alert(payload, state)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return 0
    if told:
        output = {"hookEventName": "PostToolUse", "additionalContext": told}
        print(json.dumps({"hookSpecificOutput": output}))
    return 0


def _alert(payload: dict[str, Any], state: str) -> str:
    """The message for now. If several marks were passed at once, only the highest is reported."""
    tokens, window = filling(payload["transcript_path"])
    used = 100.0 * tokens / _number("CLAUDE_CONTEXT_WINDOW", window)
    passed = [mark for mark, _, _ in MARKS if used >= mark]
    if not passed:
        return ""
    highest = passed[-1]
    descriptor = os.open(state, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+") as file:
        _require_own(descriptor)
        said = {int(word) for word in file.read(200).split() if word.isdigit()}
        if highest in said or any(mark > highest for mark in said):
            return ""
        file.seek(0)
        file.write(" ".join(map(str, sorted(said.union(passed)))))
    severity, text = next((severity, text) for mark, severity, text in MARKS if mark == highest)
    return f"[{severity}] About {int(used)}% of the context is used. {_fitting(text, payload)}"


def _fitting(text: str, payload: dict[str, Any]) -> str:
    """The fitting text: a run of ralph's that is not a story loop has no tasks.json and no progress.txt to write
    into.
    """
    if not os.environ.get("RALPH_RUN_ID"):
        return text
    # It is imported here: hardly any call of a tool has something to report.
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from active_loop import own_loop

    return (
        text if own_loop(str(payload.get("cwd") or os.getcwd()), os.environ) else ". ".join(text.split(". ")[:2]) + "."
    )


def filling(path: str) -> tuple[float, float]:
    """The tokens in use and the size of the window, by the last record of usage; without one, by the file's size."""
    # A pipe instead of the file must not block a session.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path} is not a regular file")
        size = file.seek(0, os.SEEK_END)
        for tail in TAILS:
            file.seek(max(0, size - tail))
            for line in reversed(file.read().split(b"\n")):
                counted = _counted(line)
                if counted:
                    return counted
    return size / _number("CLAUDE_CONTEXT_CHARS_PER_TOKEN", DIVISOR), WINDOW


def _counted(line: bytes) -> tuple[int, float] | None:
    try:
        if b'"usage"' in line:
            return _of_claude(json.loads(line))
        if b'"token_count"' in line:
            return _of_codex(json.loads(line)["payload"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return None


def _of_claude(record: dict[str, Any]) -> tuple[int, float] | None:
    if record.get("isSidechain"):
        # A subagent has a context of its own.
        return None
    usage = record["message"]["usage"]
    counts = [usage.get(key) or 0 for key in COUNTS]
    counted = sum(count for count in counts if isinstance(count, int))
    return (counted, WINDOW) if counted else None


def _of_codex(event: dict[str, Any]) -> tuple[int, float] | None:
    if event["type"] != "token_count":
        return None
    window = event["info"].get("model_context_window")
    counted = event["info"]["last_token_usage"]["total_tokens"]
    return (int(counted), float(window or WINDOW)) if counted else None


def _state_file(session: str, environ: Mapping[str, str]) -> str:
    name = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in session)[:100]
    folder = environ.get("TMPDIR") or "/tmp"  # noqa: S108 - `_require_own` looks at what is there
    return os.path.join(folder, f"claude-context-alerts-{name}")


def _require_own(descriptor: int) -> None:
    """Refuse a file that somebody else created first in a shared folder."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_nlink != 1:
        raise OSError("the state file is not ours")


def _forget(state: str) -> None:
    if os.path.lexists(state):
        os.unlink(state)


def _number(name: str, default: float) -> float:
    try:
        value = float(os.environ.get(name, ""))
    except ValueError:
        return default
    return value if value > 0 else default


if __name__ == "__main__":
    sys.exit(main())
