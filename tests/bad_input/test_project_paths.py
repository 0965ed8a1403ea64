"""Projects in directories with unusual names: one clear line, or a run like any other; never a traceback."""

import json
import os
import subprocess

import pytest

from ralph.testing import ScriptedAgent, done, edits
from ralph.testing.program import ralph_program

PROMPT = "Make it. End with <response>DONE</response>"
COMMANDS = (
    ("run", "-p", PROMPT),
    ("runs",),
    ("runs", "--all", "--json"),
    ("runs", "--since", "1h"),
    ("show",),
    ("status", "--all"),
    ("logs",),
    ("doctor",),
    ("config", "show"),
    ("config", "path"),
    ("task", "create", "T", "s", "t", "--without-criteria"),
    ("task", "list"),
    ("task", "run", "T"),
    ("project", "list"),
    ("prd", "init"),
    ("supervise", "--max-restarts", "1", "--restart-delay", "0", "--", "true"),
)


class Odd:
    """A git repository in a directory of this name."""

    def __init__(self, root, name):
        self.path = root / os.fsdecode(name)
        agent = ScriptedAgent(edits({"made": "1"}) | done(), directory=root / "bin")
        settings = {"agent": {"command": agent.command}, "guardrails": [{"command": "test -f made"}]}
        (self.path / ".ralph").mkdir(parents=True)
        (self.path / ".ralph/settings.json").write_text(json.dumps(settings), encoding="utf-8")
        me = {f"GIT_{who}_{what}": "me@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self._env = {"PATH": os.environ["PATH"], "HOME": str(root), "LC_ALL": "C.UTF-8", **me}
        for arguments in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "base")):
            subprocess.run(["git", *arguments], cwd=self.path, env=self._env, check=True)

    def ralph(self, *args):
        return subprocess.run(
            [ralph_program(), *args], cwd=self.path, env=self._env, capture_output=True, check=False, timeout=60
        )


@pytest.mark.parametrize("name", [b"esc\x1b[31m", "rtl\u202e".encode(), b"quo'\"te $x"], ids=["escape", "rtl", "quote"])
def test_a_directory_with_an_unusual_name_is_a_project_like_any_other(tmp_path, name):
    odd = Odd(tmp_path, name)
    for args in COMMANDS:
        ended = odd.ralph(*args)
        printed = ended.stdout + ended.stderr
        assert b"Traceback" not in printed
        assert not [sign for sign in (b"\x1b", "\u202e".encode()) if sign in printed], args
        assert args[0] != "run" or ended.returncode == 0, printed


@pytest.mark.parametrize(
    ("name", "why"),
    [(b"new\nline", b"has a line break in it. Rename the directory."), (b"caf\xe9", b"is not UTF-8. Rename")],
    ids=["newline", "not UTF-8"],
)
def test_a_directory_that_git_or_the_store_cannot_name_is_refused(tmp_path, name, why):
    odd = Odd(tmp_path, name)
    for args in COMMANDS:
        ended = odd.ralph(*args)
        assert b"Traceback" not in ended.stdout + ended.stderr
        if args[0] == "run":
            assert ended.returncode == 2
            assert why in ended.stderr
