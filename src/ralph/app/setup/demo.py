"""The demo: a small program whose tests fail, and an agent that has to be caught twice before it is really done."""

import json
import tempfile
from pathlib import Path
from typing import Any

from msgspec import Struct

from ralph.model.errors import ConfigError
from ralph.proc.capture import capture
from ralph.testing import ScriptedAgent, answers, done, edits, says

PROMPT = """\
The tests of this small program fail. Make them pass by editing prices.py only; leave the tests alone.
When all tests pass, end your answer with <response>DONE</response>."""

PROGRAM = '''\
"""Prices in cents, so that no fraction of a cent is ever lost."""


def total(cents):
    return 0


def discount(cents, percent):
    return cents
'''
TESTS = """\
import unittest

from prices import discount, total


class PricesTest(unittest.TestCase):
    def test_total_adds_up(self):
        self.assertEqual(total([150, 250]), 400)

    def test_discount_is_taken_off(self):
        self.assertEqual(discount(1000, 20), 800)

    def test_discount_rounds_in_favour_of_the_customer(self):
        self.assertEqual(discount(999, 10), 899)
"""
BROKEN = PROGRAM.replace("    return 0\n", "    return sum(cents\n")
HALF = PROGRAM.replace("    return 0\n", "    return sum(cents)\n")
RIGHT = HALF.replace("    return cents\n", "    return cents - -(-cents * percent // 100)\n")

REAL_FLAGS = {"claude": ["--permission-mode acceptEdits"], "gemini": ["--yolo"]}
GIT_SECONDS = 30.0
PAUSE = 0.6
"""The seconds that let a person follow what happens."""


class Demo(Struct, frozen=True):
    project: Path
    prompt: str = PROMPT


def prepare(agent: str | None) -> Demo:
    root = Path(tempfile.mkdtemp(prefix="ralph-demo-"))
    project = root / "prices"
    (project / ".ralph").mkdir(parents=True)
    _write(project / "prices.py", PROGRAM)
    _write(project / "test_prices.py", TESTS)
    _write(project / ".gitignore", "__pycache__/\n")
    chosen = {"agent": {"command": agent, "flags": REAL_FLAGS.get(agent, [])}} if agent else _scripted(root / "agent")
    _write(project / ".ralph" / "settings.json", json.dumps({**chosen, **_checks()}, indent=2) + "\n")
    for arguments in (
        ("init", "--quiet", "--initial-branch=main"),
        ("config", "user.name", "ralph demo"),
        ("config", "user.email", "demo@example.invalid"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "A program whose tests fail"),
    ):
        _git(project, *arguments)
    return Demo(project)


def _checks() -> dict[str, Any]:
    return {
        "maximumIterations": 5,
        "guardrails": [
            {"command": "python3 -m py_compile prices.py", "hint": "The program does not even compile."},
            {"command": "python3 -m unittest --quiet", "hint": "Fix prices.py, not the tests."},
        ],
        "scm": {"command": "git", "tasks": ["commit"]},
    }


def _scripted(directory: Path) -> dict[str, Any]:
    agent = ScriptedAgent(
        _step("I will add up the prices.", BROKEN, {"final": "The sum is in place."}),
        _step("A bracket was missing. Everything works now.", HALF, done()),
        _step("The discount was still missing, and its rounding.", RIGHT, done()),
        answers("commit message", "Add up prices and take off discounts"),
        directory=directory,
    )
    executor = {"id": "scripted", "name": "The built-in scripted agent", "type": "claude", "command": agent.command}
    return {"agent": {"command": "scripted"}, "tools": {"executors": [executor]}}


def _step(words: str, program: str, end: dict[str, Any]) -> dict[str, Any]:
    return {"do": [says(words), {"sleep": PAUSE}, edits({"prices.py": program}), end]}


def _git(project: Path, *arguments: str) -> None:
    ran = capture(["git", *arguments], timeout=GIT_SECONDS, cwd=project)
    if ran.code != 0:
        said = " ".join(ran.output.split()) or "git could not be started"
        raise ConfigError(f"git {arguments[0]} failed: {said}.", "Install git, then try again: ralph doctor")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
