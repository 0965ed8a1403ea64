"""The README is followed word by word, in a fresh clone, with the real claude on a scripted model."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ralph.testing import temp_repo
from real_programs import SECONDS, need_cli
from scripted_model import ModelServer, real_agent
from terminals import Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST = "Five minutes to a working loop"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MAKEFILE = """\
lint:
	python3 -m compileall -q greeting.py

test:
	python3 -m unittest -q test_greeting
"""
TESTS = """\
import unittest

from greeting import greet


class GreetingTest(unittest.TestCase):
    def test_it_greets_by_name(self):
        self.assertEqual(greet("Ada"), "Hello, Ada!")

    def test_it_greets_everybody(self):
        self.assertEqual(greet(""), "Hello, world!")
"""
WRONG = 'def greet(name):\n    return "Hello"\n'
HALF = 'def greet(name):\n    return f"Hello, {name}!"\n'
RIGHT = "def greet(name):\n    return f\"Hello, {name or 'world'}!\"\n"
DONE = {"say": "They pass now.\n<response>DONE</response>"}
FALSE_DONE = {"say": "All tests pass.\n<response>DONE</response>"}


def commands(title):
    """The commands of the section, block by block and without their comments."""
    section = README.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    return [
        [shlex.split(line, comments=True) for line in text.replace("\\\n", "").splitlines() if line]
        for language, text in BLOCK.findall(section)
        if not language
    ]


def the_three():
    """`ralph init`, `ralph doctor` and `ralph run`, as the README has them."""
    [block] = [each for each in commands(FIRST) if each[0] == ["ralph", "init"]]
    init, doctor, run = block
    assert doctor == ["ralph", "doctor"]
    assert run[:3] == ["ralph", "run", "-p"]
    return init, doctor, run


def sample_settings():
    section = README.split("\n## Settings\n", 1)[1].split("\n## ", 1)[0]
    [text] = [text for language, text in BLOCK.findall(section) if language == "json"]
    return text


def writes(repo, text):
    return {"tool": {"name": "Write", "input": {"file_path": str(repo.path / "greeting.py"), "content": text}}}


def model(repo):
    """An agent that says that it is done too early, corrects half of it, and is right in the end."""
    reads = {"tool": {"name": "Read", "input": {"file_path": str(repo.path / "greeting.py")}}}
    runs = {"tool": {"shell": "make test"}}
    turns = [FALSE_DONE, reads, writes(repo, HALF), FALSE_DONE, reads, writes(repo, RIGHT), runs, DONE]
    return ModelServer(*turns)


@pytest.fixture
def repo(tmp_path):
    need_cli("claude")
    files = {"Makefile": MAKEFILE, "greeting.py": WRONG, "test_greeting.py": TESTS, ".gitignore": "__pycache__/\n"}
    return temp_repo(tmp_path, files)


@pytest.fixture
def server(repo):
    with model(repo) as server:
        yield server


@pytest.fixture
def env(repo, server):
    """What a user has who is logged in: claude on PATH, and its own variables."""
    agent = real_agent("claude", server.url, repo.home)
    folder = repo.home / "bin"
    folder.mkdir()
    (folder / "claude").symlink_to(agent.command)
    return {**repo.env, **agent.env, "PATH": f"{folder}:{repo.env['PATH']}"}


@pytest.fixture
def installed(tmp_path):
    """The folder of the program that a fresh clone installs, after its demo, as the README says."""
    clone, venv = tmp_path / "clone", tmp_path / "venv"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    [demo, _], *_ = commands(FIRST)
    install = re.search(r"Install it with `(pip install [^`]+)`", README)[1]
    for words in (demo, install.split()):
        path = f"{venv / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            words, cwd=clone, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return venv / "bin"


def follow(repo, env, words):
    return repo.run(*words, env=env, timeout=SECONDS)


def doctor_says_it_can_run(repo, env, words):
    told = follow(repo, env, words)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.splitlines()[-1] == "ralph can run here."


def assert_proven(repo, env, ended):
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "proven done after 3 iterations" in ended.stderr
    assert "denied" not in ended.stdout + ended.stderr
    shown = json.loads(follow(repo, env, ["ralph", "show", "--json"]).stdout)
    assert (shown["verdict"], shown["proof"]) == ("verified", "checked")
    first, second, last = shown["iterations"]
    assert 'Guardrail "make test" failed' in first["feedback"]
    assert 'Guardrail "make test" failed' in second["feedback"]
    assert not last["feedback"]
    assert repo.read("greeting.py") == RIGHT
    assert repo.read("test_greeting.py") == TESTS


def test_the_three_commands_end_proven_done_after_two_false_dones(repo, env, server, installed):
    init, doctor, run = the_three()
    env["PATH"] = f"{installed}:{env['PATH']}"
    with Terminal(repo.path, env, *init[1:], program=[installed / "ralph"]) as terminal:
        terminal.type("\n" * 12)
        code = terminal.end()
    assert code == 0, terminal.screen
    doctor_says_it_can_run(repo, env, doctor)
    assert_proven(repo, env, follow(repo, env, run))
    prompts = [request.prompt for request in server.conversation]
    assert prompts[0] == run[-1]
    look_at_it(repo, env)


def look_at_it(repo, env):
    """What the README names for looking at a run, each on the run that has ended."""
    [block] = [each for each in commands(FIRST) if ["ralph", "runs"] in each]
    watch, runs, show, logs, *steering = block
    assert "verified" in follow(repo, env, runs).stdout
    assert "✗ guardrail make test: exit code 2" in follow(repo, env, show).stdout
    assert "They pass now." in follow(repo, env, logs).stdout
    assert follow(repo, env, watch).returncode == 0
    for words in steering:
        refused = follow(repo, env, words)
        assert refused.returncode == 2, f"{words}: {refused.stdout}{refused.stderr}"
        assert "See what ran: ralph runs" in refused.stderr


def test_the_sample_of_settings_ends_proven_done_committed_and_pushed(repo, env, server):
    _, doctor, run = the_three()
    origin = repo.home / "origin.git"
    repo.git("init", "--quiet", "--bare", str(origin))
    repo.git("remote", "add", "origin", str(origin))
    repo.git("push", "--quiet", "--set-upstream", "origin", "main")
    repo.write(".ralph/settings.json", sample_settings())
    repo.commit_all("Settings of ralph")
    doctor_says_it_can_run(repo, env, doctor)
    assert_proven(repo, env, follow(repo, env, run))
    assert all("opus" in request.model for request in server.conversation)
    assert repo.git("rev-parse", "origin/main") == repo.git("rev-parse", "main")
    assert repo.git("show", "origin/main:greeting.py") == RIGHT
