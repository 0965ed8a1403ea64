"""Each agent of the table, each level: the flags, what they mean, and whether it would be denied."""

import json
import re
from pathlib import Path

import pytest

from ralph.agents.adapter import Call
from ralph.agents.permissions import (
    LEVELS,
    TABLE,
    flag_for,
    flags_for,
    is_denied,
    meaning,
    meaning_of_level,
    mode_among,
    permissions_of,
    reading_only,
    refusal_as_root,
)
from ralph.agents.registry import AGENTS, adapter, choose, split_flags
from ralph.config.schema import apply_schema
from ralph.model.events import PermissionDenied

ROOT = Path(__file__).parents[2]
COMMANDS = ["make lint", "go test ./..."]
EDITS_AND_COMMANDS = "may edit the project's files and run {}; every other request is denied"
# The words that the program gets, as its own help page spells them.
WORDS = {
    ("claude", "all"): ["--dangerously-skip-permissions"],
    ("claude", "project"): [
        *("--permission-mode", "acceptEdits"),
        *("--allowedTools", "Bash(make lint:*)", "--allowedTools", "Bash(go test:*)"),
    ],
    ("codex", "all"): ["--dangerously-bypass-approvals-and-sandbox"],
    ("codex", "project"): ["--sandbox", "workspace-write"],
    ("opencode", "all"): ["--auto"],
    ("gemini", "all"): ["--yolo"],
    ("gemini", "project"): [
        *("--approval-mode", "auto_edit"),
        *("--allowed-tools", "run_shell_command(make lint)", "--allowed-tools", "run_shell_command(go test)"),
    ],
    ("qwen", "all"): ["--yolo"],
    ("qwen", "project"): [
        *("--approval-mode", "auto-edit"),
        *("--allowed-tools", "run_shell_command(make lint)", "--allowed-tools", "run_shell_command(go test)"),
    ],
    ("copilot", "all"): ["--allow-all"],
    ("copilot", "project"): ["--allow-tool=write", "--allow-tool=shell(make:*)", "--allow-tool=shell(go test:*)"],
}
MEANINGS = {
    ("claude", "project"): EDITS_AND_COMMANDS.format("make lint, go test"),
    ("codex", "project"): "in its own sandbox",
    ("gemini", "project"): EDITS_AND_COMMANDS.format("make lint, go test"),
    ("qwen", "project"): EDITS_AND_COMMANDS.format("make lint, go test"),
    ("copilot", "project"): EDITS_AND_COMMANDS.format("make, go test"),
    ("claude", "all"): "unless IS_SANDBOX=1 is set",
    ("codex", "own"): "ralph starts it with --sandbox workspace-write",
    ("opencode", "project"): "edits and runs commands without asking",
    ("opencode", "own"): "edits and runs commands without asking",
}
ASKING = ["claude", "gemini", "qwen", "copilot"]

each_agent = pytest.mark.parametrize("agent", TABLE)
each_level = pytest.mark.parametrize("level", LEVELS)


def test_every_known_agent_has_a_row():
    assert set(TABLE) == set(AGENTS) - {"command"}
    assert all(adapter(agent).name == agent for agent in TABLE)


@each_agent
@each_level
def test_the_flags_of_a_level_reach_the_program_as_its_help_page_spells_them(agent, level):
    # Through JSON and the splitting, as settings are written and read.
    flags = json.loads(json.dumps(flags_for(agent, level, COMMANDS)))
    words = split_flags(flags)
    assert words == WORDS.get((agent, level), [])
    if agent != "acp":
        argv = adapter(agent).invocation(["/nowhere/agent"], words, Call("prompt", "file", "answer", stream=True)).argv
        assert [word for word in argv if word in words] == words


@each_agent
@each_level
def test_each_entry_begins_with_a_dash_so_that_it_is_split(agent, level):
    assert all(flag.startswith("-") for flag in flags_for(agent, level, COMMANDS))


@each_agent
@each_level
def test_what_a_level_means_is_said_of_its_flags_too(agent, level):
    said = meaning_of_level(agent, level, COMMANDS)
    assert MEANINGS.get((agent, level), "") in said
    told = meaning(agent, ["--model", "opus", *split_flags(flags_for(agent, level, COMMANDS))])
    assert told.startswith(f"{agent} {said}")
    assert told.endswith(".")
    assert "\n" not in told


@each_agent
def test_all_and_own_differ_where_there_is_a_flag(agent):
    differ = meaning_of_level(agent, "all", []) != meaning_of_level(agent, "own", [])
    assert differ == permissions_of(agent).has_flags


@pytest.mark.parametrize("agent", ASKING)
def test_without_a_command_to_name_it_may_edit_only(agent):
    assert len(flags_for(agent, "project", ["sh -c 'x'"])) == 1
    assert "run no command that needs permission" in meaning_of_level(agent, "project", [])


@each_agent
@each_level
def test_it_is_denied_only_if_it_asks_and_gets_no_flag(agent, level):
    words = split_flags(flags_for(agent, level, COMMANDS))
    assert is_denied(agent, words) == (agent in ASKING and level == "own")


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "qwen", "copilot", "opencode"])
def test_the_flag_of_a_level_is_known_again(agent):
    assert mode_among(agent, ["--model", "x", *flags_for(agent, "all", [])]) == flags_for(agent, "all", [])[0]
    assert mode_among(agent, ["--model", "x"]) is None


def test_a_flag_with_its_value_after_an_equals_sign_is_known():
    assert mode_among("codex", ["--sandbox=read-only"]) == "--sandbox=read-only"
    assert meaning("codex", ["--sandbox=read-only"]) == (
        "codex may do what --sandbox=read-only of its flags allows (--sandbox)."
    )


def test_a_policy_for_an_acp_agent_is_what_counts():
    assert meaning("acp", ["--permissions=deny"]) == (
        "acp may do what --permissions=deny of its flags allows (--permissions)."
    )


def test_a_program_that_is_not_known_is_told_in_words():
    assert flags_for("generic", "all", COMMANDS) == []
    assert meaning("generic", [], "mine") == (
        "mine has no flags for this that ralph knows: its own settings decide what it may do."
    )


def test_as_root_only_claude_refuses_and_only_what_skips_every_permission():
    skipping = ["--dangerously-skip-permissions"]
    assert refusal_as_root("claude", skipping, {}) == "IS_SANDBOX"
    assert refusal_as_root("claude", skipping, {"IS_SANDBOX": "1"}) is None
    assert refusal_as_root("claude", ["--permission-mode", "acceptEdits"], {}) is None
    assert refusal_as_root("gemini", ["--yolo"], {}) is None


def told_on_the_page(agent):
    page = (ROOT / "docs/agents.md").read_text(encoding="utf-8")
    section = page.split("## What it may do\n", 1)[1].split("\n## ", 1)[0]
    (columns,) = re.findall(rf"^\| `{agent}` \| (.*) \| (.*) \|$", section, re.MULTILINE)
    return [[] if column.startswith("none") else re.findall(r"`([^`]+)`", column) for column in columns]


@pytest.mark.parametrize("agent", [agent for agent in TABLE if agent != "acp"])
def test_the_page_shows_the_flags_of_the_table(agent):
    assert told_on_the_page(agent) == [flags_for(agent, level, ["make test"]) for level in ("all", "project")]


def test_the_sample_settings_of_the_readme_let_the_agent_work():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (sample,) = re.findall(r"^```json\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    settings = apply_schema(json.loads(sample))
    agent = choose(settings)
    assert meaning(agent.adapter.name, agent.flags).startswith(
        "claude may edit the project's files and run make lint, "
    )
    commands = [guardrail.command for guardrail in settings.guardrails]
    wanted = split_flags(flags_for("claude", "project", commands))
    assert set(wanted) < set(agent.flags)


@pytest.mark.parametrize(
    ("agent", "tool", "reason", "flag"),
    [
        ("claude", "Bash", "make install", "--allowedTools 'Bash(make install:*)'"),
        ("claude", "Bash", "rm -rf build", "--dangerously-skip-permissions"),
        ("claude", "Edit", "src/a.py", "--permission-mode acceptEdits"),
        ("claude", "WebFetch", "the web", "--dangerously-skip-permissions"),
        ("gemini", "run_shell_command", "make test", "--allowed-tools 'run_shell_command(make test)'"),
        ("copilot", "bash", "make test", "--allow-tool='shell(make:*)'"),
        ("opencode", "bash", "make test", "--auto"),
        ("goose", "developer__shell", "make test", ""),
        ("command", "Bash", "make test", ""),
    ],
)
def test_the_flag_that_allows_what_was_denied(agent, tool, reason, flag):
    assert flag_for(agent, PermissionDenied(tool, reason)) == flag


@pytest.mark.parametrize(
    ("agent", "flags", "reading"),
    [
        ("codex", "--full-auto -m gpt-5", "-m gpt-5 --sandbox read-only"),
        ("codex", "--sandbox workspace-write --json", "--json --sandbox read-only"),
        ("codex", "-s danger-full-access", "--sandbox read-only"),
        ("codex", "--sandbox=workspace-write", "--sandbox read-only"),
        ("gemini", "--yolo --model x", "--model x --approval-mode default"),
        ("copilot", "--allow-all --allow-tool=write", "--allow-tool=write --deny-tool=write"),
        ("acp", "--permissions=all --quiet", "--quiet --permissions=reads"),
        ("amp", "--mode smart", "--mode smart"),
        ("command", "--anything", "--anything"),
    ],
)
def test_an_agent_that_is_to_read_gets_no_other_mode(agent, flags, reading):
    assert reading_only(agent, flags.split()) == reading.split()
