"""What keeps agents from harm, by recipe, setting and agent."""

import os
from pathlib import Path

import pytest

from ralph.agents.registry import find
from ralph.config.schema import apply_schema
from ralph.loop.confinement import confinement_of, unsandboxed, with_hooks
from ralph.loop.kinds import KINDS, kind_of
from ralph.model.errors import SandboxUnusable
from ralph.sandbox.choice import sandbox_of

HOME = Path("/home/u/project/.ralph/runs/r/agent-home")


def name_of(recipe, agent, flags=(), environ=None, folder=HOME.parent, **settings):
    made = apply_schema(settings)
    chosen = find(made, agent).with_flags(list(flags))
    return confinement_of(made, kind_of(recipe), chosen, HOME, folder, environ or {}).name


@pytest.fixture
def claude(tmp_path):
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho '  --verbose --plugin-dir'\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize("recipe", sorted(set(KINDS) - {"prompt", "supervise"}))
def test_without_a_setting_agents_with_hooks_are_guarded(recipe, claude):
    assert name_of(recipe, claude) == "unsandboxed + guard"
    assert name_of(recipe, "any-program") == "unsandboxed"


@pytest.mark.parametrize("recipe", ["prompt", "supervise"])
def test_run_and_supervise_have_none_unless_it_is_set(recipe, claude):
    assert name_of(recipe, claude) == "none"
    assert name_of(recipe, claude, sandbox="auto") == "unsandboxed + guard"
    assert name_of(recipe, claude, sandbox={"backend": "auto"}) == "unsandboxed + guard"


def test_none_is_no_guard_but_stories_keep_their_hooks(claude):
    assert name_of("chunk", claude, sandbox="none") == "none"
    assert name_of("stories", claude, sandbox="none") == "unsandboxed + guard"


def test_a_claude_whose_flags_switch_hooks_off_is_not_called_guarded(claude):
    assert name_of("stories", claude, flags=["--bare"]) == "unsandboxed"


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ('{"disableAllHooks": true}', "unsandboxed"),
        ('{"disableAllHooks": false}', "unsandboxed + guard"),
        ("{", "unsandboxed + guard"),
    ],
)
def test_a_user_who_switched_claudes_hooks_off_is_not_told_of_a_guard(claude, tmp_path, settings, name):
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(settings, encoding="utf-8")
    assert name_of("chunk", claude, environ={"HOME": str(tmp_path)}) == name
    environ = {"HOME": "/nowhere", "CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")}
    assert name_of("chunk", claude, environ=environ) == name


@pytest.mark.parametrize(
    ("local", "project", "name"),
    [
        (None, '{"disableAllHooks": true}', "unsandboxed"),
        ('{"disableAllHooks": true}', None, "unsandboxed"),
        ('{"disableAllHooks": false}', '{"disableAllHooks": true}', "unsandboxed + guard"),
        ('{"model": "opus"}', '{"disableAllHooks": true}', "unsandboxed"),
        ("{", None, "unsandboxed + guard"),
    ],
)
def test_a_project_that_switches_claudes_hooks_off_is_not_called_guarded(claude, tmp_path, local, project, name):
    (tmp_path / ".claude").mkdir()
    for file, text in (("settings.local.json", local), ("settings.json", project)):
        if text:
            (tmp_path / ".claude" / file).write_text(text, encoding="utf-8")
    assert name_of("chunk", claude, folder=tmp_path, environ={"HOME": "/nowhere"}) == name


def test_settings_that_are_no_plain_file_do_not_hold_a_run_up(claude, tmp_path):
    (tmp_path / ".claude").mkdir()
    os.mkfifo(tmp_path / ".claude/settings.json")
    assert name_of("chunk", claude, folder=tmp_path, environ={"HOME": "/nowhere"}) == "unsandboxed + guard"


@pytest.mark.parametrize(
    ("sandbox", "words"),
    [
        ("required", '"sandbox": "required" asks for a sandbox, and this version has none'),
        ("bwrap", '"sandbox": "bwrap" asks for a sandbox'),
        ({"backend": "sbx"}, '"sandbox": "sbx" asks for a sandbox'),
        ({"network": "none"}, "sandbox.network needs a sandbox"),
        ({"backend": "auto", "allow": ["a.com"]}, "sandbox.allow needs a sandbox"),
        ({"limits": {"cpus": 2}}, "sandbox.limits needs a sandbox"),
    ],
)
@pytest.mark.parametrize("recipe", ["prompt", "stage", "stories"])
def test_what_this_version_cannot_do_is_refused(recipe, sandbox, words):
    with pytest.raises(SandboxUnusable, match=words) as refused:
        sandbox_of(apply_schema({"sandbox": sandbox}), kind_of(recipe).sandbox)
    assert refused.value.exit_code == 8


def test_the_guard_is_asked_for_by_a_variable(claude):
    settings = apply_schema({})
    agent = find(settings, claude).with_flags(["--model", "m"])
    found = confinement_of(settings, kind_of("chunk"), agent, HOME, HOME.parent, {})
    equipped = with_hooks(agent, found.hooks)
    assert equipped.env == {"RALPH_GUARD": "1"}
    assert equipped.flags[:3] == ["--model", "m", "--plugin-dir"]
    assert Path(equipped.flags[3], "hooks/hooks.json").is_file()


def test_one_line_says_who_runs_how(claude, tmp_path):
    settings = apply_schema({})
    agents = [find(settings, name) for name in (claude, "any-program", claude)]
    told = unsandboxed(settings, kind_of("spec"), agents, tmp_path)
    assert told == [f"no sandbox: {claude} runs unsandboxed + guard; any-program runs unsandboxed."]
    assert unsandboxed(apply_schema({"sandbox": "none"}), kind_of("spec"), agents, tmp_path) == []
    assert unsandboxed(settings, kind_of("prompt"), agents, tmp_path) == []


def test_an_agent_that_switches_its_hooks_off_is_not_recorded_as_guarded(loop):
    off = {".claude/settings.local.json": '{"disableAllHooks": true}'}
    ended = loop({"write": off, "final": "I go on."}, {"final": "<response>DONE</response>"}, sandbox="auto")
    assert ended.code == 0, ended.err
    iterations = loop.show()["iterations"]
    ends = [action["result"] for each in iterations for action in each["actions"] if action["result"]]
    assert [end["sandbox"] for end in ends if "sandbox" in end] == ["unsandboxed + guard", "unsandboxed"]
