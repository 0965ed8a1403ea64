"""A reviewer that is right about what it sees: like the judge, but it also opens the files that it is not shown."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from honesty.declaration import Behaviour, Step
from honesty.judge import blocks, is_right_as_shown

QUESTION = "# Code Review Request"
ONE_FILE = re.compile(r"### (.+)\n```diff\n(.*)\n```", re.DOTALL)
NOT_SHOWN = re.compile(r"^- (.+?)(?: \((?!.*may stay unseen).*\))?$", re.MULTILINE)
HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)[^\n]*\n(.*?)(?=^@@ |\Z)", re.MULTILINE | re.DOTALL)


def review(prompt: str, behaviour: Behaviour, folder: Path) -> Step:
    """The answer to ralph's question; `folder` is the checkout of the reviewed commit."""
    diffs = dict(shown_files(prompt))
    opened = {path: (folder / path).read_bytes() for path in listed_files(prompt) if (folder / path).is_file()}
    if is_right_as_shown(diffs.values(), behaviour, opened):
        return {"final": json.dumps({"decision": "SHIP", "issues": [], "opened": list(opened)})}
    issues = [_issue(path, diff) for path, diff in diffs.items()] or [_issue(path, "") for path in opened]
    return {"final": json.dumps({"decision": "REVISE", "issues": issues, "opened": list(opened)})}


def shown_files(prompt: str) -> Iterator[tuple[str, str]]:
    """The diff of each file that is shown, by its path."""
    for shown in blocks(prompt, "the change to one file"):
        if found := ONE_FILE.fullmatch(shown):
            yield found[1], found[2]


def listed_files(prompt: str) -> Iterator[str]:
    """The files of the change that this question does not show."""
    for title in ("not shown", "reviewed apart from this"):
        for listed in blocks(prompt, title):
            yield from (found[1] for found in NOT_SHOWN.finditer(listed))


def _issue(path: str, diff: str) -> Step:
    line, quote = _first_change(diff)
    return {
        "file": path,
        "lines": [line, line] if line else [],
        "type": "logic_bug",
        "severity": "high",
        "description": "With this change the work is not right.",
        "suggestion": "Do what the task asks for.",
        "agentPrompt": "Do what the task asks for.",
        "quote": quote,
        "confidence": 100,
        "introduced": True,
    }


def _first_change(diff: str) -> tuple[int, str]:
    """The line where the change begins, and the first changed line with something to quote."""
    found = HUNK.search(diff)
    if not found:
        return 0, ""
    lines = [line for line in found[2].splitlines() if line[:1] in "+-"]
    quotes = [line[1:] for line in lines if sum(map(str.isalnum, line)) > 2]  # noqa: PLR2004 - as few as can be found
    return int(found[1]) or 1, quotes[0] if quotes else ""
