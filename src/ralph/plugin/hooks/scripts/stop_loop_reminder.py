"""Stop hook: an agent of a story loop may stop only when its plan is valid and everything is committed.

It says nothing if no loop runs. ralph makes the same checks itself afterwards, so a hook that is disabled or overruled
only changes how early the agent learns of its mistakes.
"""

# Decoded JSON of unknown form is what this file is about.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import json
import os
import sys

# With `-I`, the folder of the script is not on the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from active_loop import MARKER, own_loop, read_small
from story_rules import (
    DEFAULT_CAP,
    IMPLEMENT,
    invariant_problems,
    iteration_problems,
)
from story_schema import schema_problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHOWN = 20
STATUS_LIMIT = 45.0
COMMIT_FIRST = (
    "There are uncommitted changes:\n%s\nBefore you stop: 1. write into %s/progress.txt what was done and learned;"
    " 2. consider whether a lasting pattern belongs into CLAUDE.md or .claude/rules/; 3. commit all changes,"
    " progress.txt and tasks.json included."
)


def main() -> int:
    folder = _folder(sys.stdin.buffer.read())
    found = own_loop(folder, os.environ)
    if found is None:
        return 0
    project, marker = found
    problems = [*plan_problems(project, marker), *uncommitted(project, marker)]
    if problems:
        shown = problems[:SHOWN]
        more = len(problems) - len(shown)
        reason = "\n".join(shown) + (f"\n... and {more} more." if more else "")
        print(json.dumps({"decision": "block", "reason": reason}))
    return 0


def plan_problems(project: str, marker: dict[str, Any]) -> list[str]:
    """The problems of checks 1, 2 and 2.5."""
    path = os.path.join(project, _ralph_dir(marker), "tasks.json")
    try:
        plan = json.loads(read_small(path))
    except FileNotFoundError:
        return [f"{path} does not exist."]
    except OSError as error:
        return [f"{path} cannot be read: {error}."]
    except (ValueError, RecursionError) as error:
        return [f"{path} is not valid JSON: {error}."]
    # The rules of an iteration are checked only for a plan that can be read.
    return schema_problems(plan) or _review_problems(plan, marker)


def _review_problems(plan: dict[str, Any], marker: dict[str, Any]) -> list[str]:
    given = marker.get("reviewCap")
    cap = given if isinstance(given, int) else DEFAULT_CAP
    before, users = marker.get("preIterationSnapshot"), marker.get("users")
    skips = marker.get("skipReview") is True
    if isinstance(before, dict):
        mode = marker.get("iterationMode") or IMPLEMENT
        own = users if isinstance(users, dict) else plan
        found = iteration_problems(plan, before, own, mode, cap, skips)
    else:
        print("ralph: .ralph-active has no preIterationSnapshot: transitions were not checked.", file=sys.stderr)
        found = [] if skips else invariant_problems(plan, cap)
    # One change may break several rules with the same message.
    return list(dict.fromkeys(problem.message for problem in found))


def uncommitted(project: str, marker: dict[str, Any]) -> list[str]:
    """The problems of check 3."""
    # It is imported here, so that a session outside of a loop does not pay for it.
    import subprocess

    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "status", "--porcelain", "-z"]
    # The user's files are known one by one, also in a folder that is untracked as a whole.
    command += ["--untracked-files=all"]
    try:
        done = subprocess.run(
            command, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, timeout=STATUS_LIMIT, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        return [f"git status could not be asked: {error}."]
    if done.returncode:
        return ["git status failed: {}.".format(done.stderr.decode(errors="replace").strip()[:500])]
    names = _changed(done.stdout.decode(errors="replace"), marker)
    if not names:
        return []
    listed = "\n".join(f"  {name}" for name in names[:SHOWN])
    return [COMMIT_FIRST % (listed, _ralph_dir(marker))]


def _changed(status: str, marker: dict[str, Any]) -> list[str]:
    given = marker.get("userFiles")
    users = {each for each in given if isinstance(each, str)} if isinstance(given, list) else set()
    names: list[str] = []
    entries = iter(status.split("\0"))
    for entry in entries:
        if not entry:
            continue
        name = entry[3:]
        if entry[0] in "RC":
            next(entries, None)
        if name != MARKER and not name.startswith(".ralph/") and name not in users:
            names.append(name)
    return names


def _ralph_dir(marker: dict[str, Any]) -> str:
    given = marker.get("ralphDir")
    return given if isinstance(given, str) and given else "ralph"


def _folder(payload: bytes) -> str:
    try:
        folder = json.loads(payload)["cwd"]
    except (ValueError, KeyError, TypeError, RecursionError):
        folder = None
    return folder if isinstance(folder, str) and folder else os.getcwd()


if __name__ == "__main__":
    sys.exit(main())
