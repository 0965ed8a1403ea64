"""Secrets that came in by a flag, a prompt or the settings: no screen prints them, and a run can still be replayed."""

import json
import sqlite3

import pytest

from loops import Loop
from ralph.testing import done, temp_repo

SECRETS = {
    "a variable": "value-of-a-variable-77",
    "a shape": "ghp_abcdefghijklmnop1234",
    "named by settings": "license-by-settings-8e9f",
    "in a flag": "flag-secret-5d5d5d5d",
}
ENV = {"SERVICE_TOKEN": SECRETS["a variable"], "ACME_LICENSE": SECRETS["named by settings"]}
ALL = " ".join(SECRETS[name] for name in ("a variable", "a shape", "named by settings"))
PROMPT = f"{ALL} --api-key {SECRETS['in a flag']} must be used. End with <response>DONE</response>"
STARTS = (
    ("run", "-p", PROMPT, "--dry-run"),
    ("run", "-f", "PROMPT.md", "--dry-run"),
    ("run", "-p", PROMPT, "--verbose"),
    ("retry",),
    ("run", "-f", "PROMPT.md"),
    ("supervise", "--max-restarts", "1", "--task-dir", "supervised", "-p", PROMPT),
    ("supervise", "--max-restarts", "1", "--task-dir", "command", "--", "true", *PROMPT.split()),
    ("task", "run", "A", "--dry-run"),
)
SCREENS = (
    ("runs",),
    ("runs", "--json"),
    ("runs", "--since", "yesterday"),
    ("show",),
    ("show", "--json"),
    ("logs",),
    ("logs", "--raw"),
    ("status",),
    ("status", "--json"),
    ("cost", "--json"),
    ("config", "show"),
    ("config", "show", "--json", "--origin"),
    ("config", "get", "guardrails"),
    ("doctor",),
    ("doctor", "--json"),
)


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Everything that the commands print, by command, and the project they ran in."""
    root = tmp_path_factory.mktemp("options")
    repo = temp_repo(root)
    loop = Loop(repo, root / "bin", repo.path / ".ralph/settings.json")
    repo.write("PROMPT.md", PROMPT)
    repo.write("supervised/DONE", "")
    repo.write("command/DONE", "")
    rail = {"command": f"true {ALL} --api-key {SECRETS['in a flag']}"}
    loop.prepare(*[done()] * 9, guardrails=[rail], env={"secrets": ["ACME_*"]})
    for args in (
        ("spec", "create", "shop"),
        ("task", "create", "A", "shop", "T", "--description", PROMPT, "--without-criteria"),
    ):
        made = loop.ralph(*args, env=ENV)
        assert made.code == 0, made.err
    return {args: loop.ralph(*args, env=ENV) for args in (*STARTS, *SCREENS)}, loop


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("args", [*STARTS, *SCREENS], ids=lambda args: " ".join(args)[:40])
def test_no_screen_prints_it(printed, args, name):
    ended = printed[0][args]
    assert "Usage:" not in ended.err
    for text in (ended.out, ended.err):
        at = text.find(SECRETS[name])
        assert at < 0, text[max(0, at - 80) : at + 40]


def test_the_agent_gets_the_prompt_as_it_was_given_also_when_it_is_started_again(printed):
    results, loop = printed
    assert results["retry",].code == 0, results["retry",].err
    assert loop.agent.prompts[:2] == [PROMPT, PROMPT]


def test_the_database_has_the_options_as_they_are_and_nothing_else(printed):
    """The options are needed to drive the run again; the names of runs and the other rows are for readers."""
    with sqlite3.connect(printed[1].repo.home / ".ralph/ralph.db") as database:
        options = [json.loads(row[0]) for row in database.execute("SELECT options FROM runs")]
        rows = database.execute("SELECT line, body FROM journal WHERE what NOT IN ('opened', 'taken')").fetchall()
        names = database.execute("SELECT label, reason FROM runs").fetchall()
    assert any(each["loop"].get("prompt") == PROMPT for each in options)
    for secret in SECRETS.values():
        assert secret not in repr((rows, names))


def test_what_is_called_a_secret_only_after_the_run_is_hidden_from_then_on(tmp_path):
    repo = temp_repo(tmp_path)
    loop = Loop(repo, tmp_path / "bin", repo.path / ".ralph/settings.json")
    secret = SECRETS["named by settings"]
    agent = loop.prepare({"say": f"I found {secret}."} | done())
    assert loop.ralph("run", "-p", f"Use {secret}. End with <response>DONE</response>").code == 0
    screens = (("logs",), ("show",), ("runs",), ("status",), ("runs", "--since", "1h"))
    assert all(secret in loop.ralph(*args, env=ENV).out for args in screens)
    loop.settings(agent={"command": agent.command}, env={"secrets": ["ACME_*"]})
    for args in screens:
        shown = loop.ralph(*args, env=ENV).out
        assert secret not in shown
        assert "[redacted]" in shown
