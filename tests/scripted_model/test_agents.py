"""How a real program is found, and what it is given."""

import json
import tomllib

import pytest

from scripted_model import find_cli, real_agent
from scripted_model.real_agents import AGENTS

URL = "http://127.0.0.1:1"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Every program, in a cache and on PATH."""
    for place in ("cache/node_modules/.bin", "path"):
        (tmp_path / place).mkdir(parents=True)
        for name in AGENTS:
            (tmp_path / place / name).touch(mode=0o755)
    monkeypatch.setenv("AGENTS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    return tmp_path


def test_the_cache_comes_before_path(installed):
    assert find_cli("claude") == str(installed / "cache/node_modules/.bin/claude")


def test_what_the_cache_lacks_is_found_on_path(installed):
    (installed / "cache/node_modules/.bin/claude").unlink()
    assert find_cli("claude") == str(installed / "path/claude")


def test_without_a_cache_path_is_looked_at(installed, monkeypatch):
    monkeypatch.delenv("AGENTS_CACHE")
    assert find_cli("codex") == str(installed / "path/codex")


def test_a_program_that_is_nowhere_is_told(installed, monkeypatch):
    monkeypatch.setenv("PATH", str(installed))
    monkeypatch.setenv("AGENTS_CACHE", str(installed))
    assert find_cli("claude") is None
    with pytest.raises(FileNotFoundError, match="claude is neither in the directory that AGENTS_CACHE names"):
        real_agent("claude", URL, installed)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_has_its_settings_in_its_home(installed, name):
    home = installed / "home"
    agent = real_agent(name, URL, home)
    assert (agent.name, agent.command) == (name, find_cli(name))
    for path, text in agent.files.items():
        assert (home / path).read_text() == text
        (tomllib if path.endswith(".toml") else json).loads(text)
    assert any(URL in text for text in [*agent.env.values(), *agent.files.values()])


@pytest.mark.parametrize("name", AGENTS)
def test_ralph_hands_on_what_the_agent_needs(installed, name):
    agent = real_agent(name, URL, installed / "home")
    assert agent.settings == {
        "agent": {"command": agent.command, "flags": agent.flags},
        "env": {"pass": sorted(agent.env)},
    }


def test_the_home_of_codex_is_not_among_temporary_files(installed):
    agent = real_agent("codex", URL, installed / "home")
    assert not agent.env["CODEX_HOME"].startswith(agent.env["TMPDIR"])
