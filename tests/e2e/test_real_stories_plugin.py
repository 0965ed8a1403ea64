"""The plugin in the real Claude Code: what it lists, both forms of the names, and every hook at its event."""

import json
from pathlib import Path

import pytest

import ralph.plugin
from ralph.testing import temp_repo
from real_programs import SECONDS, need_cli
from scripted_model import ModelServer, real_agent

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

PLUGIN = Path(ralph.plugin.__file__).parent
REPOSITORY = PLUGIN.parents[2]
HEADINGS = {
    "ralph-plan": "# Plan a ralph loop",
    "ralph-tasks": "# Make tasks for ralph",
    "ralph-status": "# How the loop stands",
    "ralph-cancel": "# Cancel the loop",
}
EVENTS = {"SessionStart", "PreToolUse", "PostToolUse", "Stop"}


@pytest.fixture
def session(tmp_path):
    need_cli("claude")
    repo = temp_repo(tmp_path)

    def asked(prompt, *flags):
        """What the model was told first, and the events of the session."""
        with ModelServer({"tool": {"shell": "true"}}, {"say": "All done."}) as server:
            agent = real_agent("claude", server.url, repo.home)
            words = ("--output-format", "stream-json", "--verbose", "--include-hook-events", "-p", prompt)
            done = repo.run(agent.command, *agent.flags, *flags, *words, env=agent.env, timeout=SECONDS)
            assert done.returncode == 0, done.stdout + done.stderr
            return server.conversation[0].prompt, [json.loads(line) for line in done.stdout.splitlines()]

    asked.repo = repo
    return asked


def test_it_lists_all_skills_and_runs_all_hooks_without_an_error(session):
    _, events = session("Say hello.", "--plugin-dir", str(PLUGIN))
    [begun] = [each for each in events if each.get("subtype") == "init"]
    assert [each["name"] for each in begun["plugins"]] == ["ralph"]
    assert not begun.get("plugin_errors")
    assert {f"ralph:{name}" for name in HEADINGS} <= set(begun["skills"])
    hooks = [each for each in events if each.get("subtype") == "hook_response"]
    assert {each["hook_event"] for each in hooks} == EVENTS
    assert {(each["exit_code"], each["stderr"]) for each in hooks} == {(0, "")}


@pytest.mark.parametrize("form", ["/{}", "/ralph:{}"])
@pytest.mark.parametrize("skill", HEADINGS)
def test_a_skill_answers_to_both_forms_of_its_name(session, skill, form):
    prompt, _ = session(form.format(skill), "--plugin-dir", str(PLUGIN))
    assert HEADINGS[skill] in prompt


def test_it_can_be_installed_from_the_marketplace_file_of_the_repository(session):
    repo = session.repo
    with ModelServer({"say": "Nobody asks."}) as server:
        agent = real_agent("claude", server.url, repo.home)
    for words in (("marketplace", "add", str(REPOSITORY)), ("install", "ralph@ralph-engine")):
        done = repo.run(agent.command, "plugin", *words, env=agent.env, timeout=SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr
    prompt, events = session("/ralph-status")
    [begun] = [each for each in events if each.get("subtype") == "init"]
    assert [each["name"] for each in begun["plugins"]] == ["ralph"]
    assert not begun.get("plugin_errors")
    assert HEADINGS["ralph-status"] in prompt
