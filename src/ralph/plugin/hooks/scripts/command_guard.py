"""PreToolUse hook: denies commands that could destroy, leak or take over more than the project.

It acts in a loop that runs without a sandbox, and if RALPH_GUARD=1 is set. Every error in it denies: only an exit code
of 2 or a JSON answer stops a call, so every other way to end would let it through.
"""

# Decoded JSON of unknown form is what this file is about.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import json
import os
import signal
import sys

# With `-I`, the folder of the script is not on the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from active_loop import is_persons_own, own_loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIMIT = 5
"""How many seconds the guard may take. The agent lets a call through if its hook is slower than hooks.json allows."""
FILE_TOOLS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}

PATCH_TOOL = "apply_patch"
PATCHED = ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:")


def main() -> int:
    signal.signal(signal.SIGALRM, _too_slow)
    signal.alarm(LIMIT)
    try:
        payload = _payload(sys.stdin.buffer.read())
        project = _guarded_project(payload)
        reason = denial(payload, project) if project else ""
    except Exception as problem:  # noqa: BLE001 - whatever it is, nothing may pass because of it
        reason = f"the guard could not decide ({type(problem).__name__}: {problem})"
    if reason:
        print(json.dumps({"hookSpecificOutput": _answer(reason)}))
    return 0


def denial(payload: dict[str, Any] | None, project: str) -> str:
    """Why this call is denied; empty if it is not."""
    # It is imported here, so that sessions without a loop do not pay for it.
    from guard_rules import Denied, Judge

    if payload is None:
        return "the guard could not read what the tool is to do"
    folder = payload.get("cwd")
    judge = Judge(project, folder if isinstance(folder, str) and folder else project, os.environ)
    given, tool = payload.get("tool_input"), str(payload.get("tool_name"))
    key = FILE_TOOLS.get(tool, "command")
    text = given.get(key) if isinstance(given, dict) else None
    if not isinstance(text, str):
        return "the guard could not read what the tool is to do"
    try:
        if tool == PATCH_TOOL:
            names = _patched(text)
            for name in names:
                judge.judge_file(name)
            return "" if names else "the guard could not read which files the patch is about"
        if key == "command":
            judge.judge(text)
        else:
            judge.judge_file(text)
    except Denied as denied:
        return str(denied)
    return ""


def _patched(patch: str) -> list[str]:
    """The files that a patch of Codex writes, moves or deletes."""
    lines = (line.strip() for line in patch.splitlines())
    return [line.partition(":")[2].strip() for line in lines if line.startswith(PATCHED)]


def _payload(text: bytes) -> dict[str, Any] | None:
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def _guarded_project(payload: dict[str, Any] | None) -> str:
    """The folder in which the agent may work; empty if the guard does not apply."""
    if is_persons_own(os.environ):
        return ""
    # A call may work in another folder than its session: Codex says where.
    session = os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()
    folder = payload.get("cwd") if payload else None
    here = folder if isinstance(folder, str) and folder else session
    found = own_loop(here, os.environ) or own_loop(session, os.environ)
    if os.environ.get("RALPH_GUARD") == "1":
        # ralph itself says that there is no sandbox, whatever an agent may have written into the marker.
        return found[0] if found else session
    return found[0] if found and found[1].get("mode") != "sandbox" else ""


def _answer(reason: str) -> dict[str, str]:
    told = f"ralph's guard denied this: {reason}. Find another way, or write down what a person has to do."
    return {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": told}


def _too_slow(_signal: int, _frame: Any) -> None:
    raise TimeoutError("it took too long")


if __name__ == "__main__":
    sys.exit(main())
