"""The command guard on a corpus of commands, and what it does when it cannot decide."""

import json
import signal
from pathlib import Path

import pytest

from guard_corpus import CORPUS, UNSEEN, Figures, judge_in
from plugin_hooks import PLUGIN, marker, script
from ralph.agents.claude_hooks import GUARD_WORDS

CATEGORIES = 18


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project outside of the folder for temporary files, as far as the guard knows."""
    made = tmp_path / "home" / "project"
    made.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return made


def test_the_corpus_is_caught_and_nothing_harmless_is_denied(project):
    figures = Figures(judge_in(project))
    assert figures.wrong == []
    assert figures.counts.total() >= 300


def test_the_docs_say_the_figures(project):
    told = " ".join((Path(__file__).parents[2] / "docs/stories.md").read_text(encoding="utf-8").split())
    for file in (CORPUS, UNSEEN):
        assert str(Figures(judge_in(project), file)) in told


def test_there_is_a_file_for_each_category():
    names = [json.loads(each.read_text(encoding="utf-8"))["category"] for each in (PLUGIN / "hooks/guard").iterdir()]
    assert len(set(names)) == CATEGORIES


def call(command, folder):
    return {"cwd": str(folder), "tool_name": "Bash", "tool_input": {"command": command}}


def reason(answer):
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    return answer["hookSpecificOutput"]["permissionDecisionReason"]


def test_it_acts_only_in_a_loop_that_lives_without_a_sandbox(hooks, project, monkeypatch):
    deadly = call("rm -rf /", project)
    assert hooks.call("command_guard", deadly) is None, "no loop"
    marker(project)
    assert "recursive delete" in reason(hooks.call("command_guard", deadly))
    (project / "src").mkdir()
    assert hooks.call("command_guard", call("rm -rf /", project / "src")), "found upward"
    marker(project, mode="sandbox")
    assert hooks.call("command_guard", deadly) is None, "the sandbox is the better guard"
    marker(project, pid=2**22 + 1)
    assert hooks.call("command_guard", deadly) is None, "a loop that is dead"
    marker(project, of="/elsewhere")
    assert hooks.call("command_guard", deadly) is None, "the marker of another project"
    marker(project)
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    assert hooks.call("command_guard", deadly) is None, "a person's own session"
    monkeypatch.setenv("RALPH_RUN_ID", "r1")
    assert hooks.call("command_guard", deadly)


def test_without_a_marker_ralph_may_ask_for_it(hooks, project, monkeypatch):
    monkeypatch.setenv("RALPH_GUARD", "1")
    assert reason(hooks.call("command_guard", call("git push --force", project)))
    assert hooks.call("command_guard", call("git push origin ralph/login", project)) is None
    # By these words the reader of Claude's stream knows whose denial it was.
    assert reason(hooks.call("command_guard", call("rm -rf /", project))).startswith(GUARD_WORDS)


def test_what_ralph_says_holds_against_a_marker_that_an_agent_wrote(hooks, project, monkeypatch):
    marker(project, mode="sandbox")
    monkeypatch.setenv("RALPH_GUARD", "1")
    assert reason(hooks.call("command_guard", call("git push --force", project)))


def test_a_call_that_works_elsewhere_belongs_to_its_session(hooks, project, monkeypatch):
    """Codex tells a hook the folder of the call, which the agent may choose."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("RALPH_GUARD", "1")
    assert "recursive delete" in reason(hooks.call("command_guard", call("rm -rf some-folder", "/")))
    monkeypatch.delenv("RALPH_GUARD")
    marker(project)
    assert "recursive delete" in reason(hooks.call("command_guard", call("rm -rf some-folder", "/")))


@pytest.mark.parametrize(
    ("patch", "denied"),
    [
        ("*** Begin Patch\n*** Add File: src/a.py\n+rm -rf /\n*** End Patch\n", ""),
        ("*** Begin Patch\n*** Update File: .ralph-active\n@@\n-a\n+b\n*** End Patch\n", "belongs to the loop"),
        ("*** Begin Patch\n*** Delete File: .git/hooks/pre-commit\n*** End Patch\n", "belongs to the loop"),
        ("*** Begin Patch\n*** Update File: a\n*** Move to: /etc/b\n@@\n-a\n*** End Patch\n", "denied"),
        ("*** Begin Patch\n*** End Patch\n", "could not read"),
    ],
)
def test_a_patch_is_judged_by_the_files_that_it_is_about(hooks, project, patch, denied):
    marker(project)
    payload = {"cwd": str(project), "tool_name": "apply_patch", "tool_input": {"command": patch}}
    answer = hooks.call("command_guard", payload)
    assert denied in reason(answer) if denied else answer is None


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"tool_name": "Bash"}',
        b'{"tool_input": {"command": 3}}',
    ],
)
def test_what_it_cannot_read_it_denies(hooks, project, monkeypatch, payload):
    marker(project)
    monkeypatch.chdir(project)
    assert "could not" in reason(hooks.call("command_guard", payload))


@pytest.mark.parametrize("command", ["echo 'unclosed", "$(" * 40, "a" * 200_000, "{" + "a," * 20_000 + "b}{c,d}{e,f}"])
def test_what_it_cannot_decide_it_denies(hooks, project, command):
    marker(project)
    assert reason(hooks.call("command_guard", call(command, project)))


@pytest.mark.parametrize(
    ("path", "is_denied"),
    [
        ("src/main.py", False),
        ("CLAUDE.md", False),
        (".claude/rules/tools.md", False),
        ("ralph/tasks.json", False),
        (".ralph-active", True),
        (".claude/settings.json", True),
        (".claude/settings.local.json", True),
        (".claude/hooks/x.py", True),
        (".git/hooks/pre-commit", True),
        ("../" * 20 + "etc/passwd", True),
        ("/etc/cron.d/x", True),
        ("~/.bashrc", True),
    ],
)
@pytest.mark.parametrize("tool", ["Write", "Edit", "NotebookEdit"])
def test_files_of_the_harness_and_of_others_are_not_written(hooks, project, tool, path, is_denied):
    marker(project)
    key = "notebook_path" if tool == "NotebookEdit" else "file_path"
    payload = {"cwd": str(project), "tool_name": tool, "tool_input": {key: path}}
    assert bool(hooks.call("command_guard", payload)) == is_denied


@pytest.mark.parametrize(
    ("command", "denied"),
    [
        ("echo hello > greeting.txt", ""),
        ("cp a.txt src/b.txt && rm -rf build", ""),
        ("echo x > ../../settings.json", "belongs to the loop"),
        ("echo x > .ralph/settings.json", "belongs to the loop"),
        ("rm -rf ../T-2", "belongs to the loop"),
    ],
)
def test_the_worktree_of_a_task_is_a_project_though_it_lies_among_ralphs_files(
    hooks, project, monkeypatch, command, denied
):
    worktree = project / ".ralph/worktrees/T-1"
    worktree.mkdir(parents=True)
    monkeypatch.chdir(worktree)
    monkeypatch.setenv("RALPH_GUARD", "1")
    answer = hooks.call("command_guard", call(command, worktree))
    assert denied in reason(answer) if denied else answer is None


def test_a_script_that_was_written_earlier_is_read_before_it_runs(hooks, project):
    marker(project)
    (project / "clean.sh").write_text("#!/bin/sh\nset -e\nrm -rf ~\n", encoding="utf-8")
    (project / "build.sh").write_text('#!/bin/sh\nrm -rf "$OUT"\n$CC main.c\n', encoding="utf-8")
    assert "recursive delete" in reason(hooks.call("command_guard", call("bash clean.sh", project)))
    assert "recursive delete" in reason(hooks.call("command_guard", call("./clean.sh", project)))


def test_a_guard_that_takes_too_long_denies(hooks, project, monkeypatch):
    marker(project)
    guard = script("command_guard")
    monkeypatch.setattr(guard, "LIMIT", 1)
    monkeypatch.setattr(guard, "denial", lambda *_: signal.pause())
    assert "took too long" in reason(hooks.call("command_guard", call("ls", project)))
