"""`ralph guard install` and `remove`: which files they change, and what they say."""

import json
import re
from pathlib import Path

import pytest

from guarded import CHECK, FILES, Guarded
from ralph.app.trusted import accept
from ralph.cli.guard.group import command
from ralph.model.errors import ConfigError
from ralph.store.open import open_store
from ralph.testing import temp_repo

PAGE = Path(__file__).parents[3] / "docs/guard.md"


@pytest.fixture
def repo(tmp_path, monkeypatch):
    repo = temp_repo(tmp_path, FILES)
    for name, value in repo.env.items():
        monkeypatch.setenv(name, value)
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    below = repo.path / "src"
    below.mkdir()
    monkeypatch.chdir(below)
    return repo


@pytest.fixture
def guard(capsys):
    def call(*words):
        command.main([*words], standalone_mode=False)
        return capsys.readouterr()

    return call


def test_it_goes_into_the_project_and_out_of_it_again(repo, guard):
    repo.write(".ralph/settings.json", json.dumps({"guardrails": [{"command": CHECK}], "agent": {"command": "claude"}}))
    first = guard("install")
    assert first.out.splitlines() == [
        "Added the stop guard to .claude/settings.json",
        "It works in new sessions.",
    ]
    assert first.err == ""
    assert list(json.loads(repo.read(".claude/settings.json"))["hooks"]) == ["SessionStart", "Stop"]
    assert "The stop guard is already in .claude/settings.json" in guard("install").out
    assert guard("remove").out.splitlines() == [
        "Took the stop guard out of .claude/settings.json",
        "The stop guard is not in .codex/hooks.json",
    ]
    assert not (repo.path / ".claude/settings.json").exists()


def test_codex_is_told_to_be_trusting(repo, guard):
    said = guard("install", "--agent", "codex", "--user")
    assert "Added the stop guard to ~/.codex/hooks.json" in said.out
    assert "once you have trusted it" in said.out
    assert (repo.home / ".codex/hooks.json").exists()
    assert not (repo.path / ".codex").exists()
    assert "Took the stop guard out of ~/.codex/hooks.json" in guard("remove", "--user", "--agent", "codex").out


def test_a_project_without_checks_is_told_so(repo, guard):
    assert (
        "No check is configured here, so nothing is checked when an agent stops."
        in guard("install", "--agent", "claude").err
    )
    assert guard("install", "--agent", "claude", "--user").err == ""


def test_inside_a_run_nobody_changes_it(repo, guard, monkeypatch):
    monkeypatch.setenv("RALPH_RUN_ID", "0123abcd")
    with pytest.raises(ConfigError, match="cannot be used inside a run"):
        guard("install", "--agent", "claude")
    assert not (repo.path / ".claude").exists()


def test_settings_that_a_person_accepts_hold_in_a_session_that_has_begun(tmp_path, monkeypatch, capsys):
    guarded = Guarded(temp_repo(tmp_path, FILES), monkeypatch, capsys)
    guarded.begins()
    guarded.settings(guardrails=[{"command": "true"}])
    assert CHECK in guarded.stops().reason
    with open_store() as store:
        [accepted] = accept(store, guarded.repo.path)
    assert accepted.title == "the settings, in 1 session of the stop guard"
    assert guarded.stops(again=True).reason is None


def test_the_page_shows_what_is_added(repo, guard):
    guard("install", "--agent", "claude")
    assert repo.read(".claude/settings.json") == re.search(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
