"""Seed 001, "SCM Tasks": each test is named after its line."""

import pytest

from ralph.testing import answers, done, edits, says

QUESTION = "Provide a short imperative commit message for the changes. Output only the message, no explanation."
WORK = edits({"new.txt": "1\n"}) | done()
COMMIT = {"command": "git", "tasks": ["commit"]}


def answer(text):
    return answers("commit message", text)


def test_scm_tasks_are_optional(git_loop):
    ended = git_loop(WORK, answer("Add it"))
    assert ended.code == 0
    assert ended.agent.prompts == ended.prompts
    assert git_loop.repo.log() == ["base"]


def test_if_configured_and_guardrails_pass_invoke_the_agent_with_a_fixed_prompt(git_loop):
    ended = git_loop(WORK, answer("Add it"), scm=COMMIT, guardrails=[{"command": "true"}])
    assert ended.code == 0
    assert ended.agent.prompts[1] == QUESTION


@pytest.mark.parametrize("agent", ["claude", "codex", "amp", "text"])
def test_the_same_runner_as_the_main_loop_asks_for_the_message_as_text(git_loop, agent):
    ended = git_loop(WORK, answer("Add it"), scripted={"format": agent}, scm=COMMIT)
    assert ended.code == 0
    assert git_loop.repo.log() == ["base", "Add it"]
    asked = ended.agent.starts[1].argv
    assert "stream-json" not in asked
    assert "--json" not in asked
    assert "--stream-json" not in asked


def test_if_response_contains_response_tag_use_its_contents(git_loop):
    git_loop(WORK, answer("Here it is:\n<response> Add the file </response>\nGood?"), scm=COMMIT)
    assert git_loop.repo.log() == ["base", "Add the file"]


def test_otherwise_use_the_first_non_empty_line_of_output(git_loop):
    git_loop(WORK, answer("\n\n  Add the file\n\nBecause it was missing.\n"), scm=COMMIT)
    assert git_loop.repo.log() == ["base", "Add the file"]


@pytest.mark.parametrize("text", ["", " \n\n", "<response></response>"])
def test_if_no_valid_message_is_extracted_abort_scm_tasks_with_an_error(git_loop, text):
    ended = git_loop(WORK, answer(text), scm={"command": "git", "tasks": ["commit", "tag after"]})
    assert ended.code == 9
    assert "no commit message" in ended.err
    assert git_loop.repo.log() == ["base"]
    assert git_loop.repo.git("tag") == ""


def test_the_error_is_shown_although_the_loop_goes_on(git_loop):
    ended = git_loop(edits({"new.txt": "1"}), answer(""), scm=COMMIT, maximumIterations=1)
    assert ended.code == 1
    assert "no commit message" in ended.err


def test_run_scm_command_with_each_task_in_order(git_loop):
    tool = git_loop.repo.home / "tool"
    tool.write_text('#!/bin/sh\necho "$@" >> "$HOME/calls"\n')
    tool.chmod(0o755)
    ended = git_loop(WORK, answer("Add it"), scm={"command": str(tool), "tasks": ["pull", "commit", "push --tags"]})
    assert ended.code == 0
    assert (git_loop.repo.home / "calls").read_text() == "pull\ncommit -am Add it\npush --tags\n"


def test_for_commit_use_am_with_the_agent_provided_message(git_loop):
    git_loop.repo.write("old.txt", "1\n")
    git_loop.repo.commit_all("old")
    git_loop(edits({"old.txt": "2\n"}) | done(), answer('Say "two" & $more'), scm=COMMIT)
    assert git_loop.repo.log()[-1] == 'Say "two" & $more'
    assert git_loop.repo.git("show", "HEAD:old.txt") == "2\n"
    assert git_loop.repo.git("status", "--porcelain") == ""


def test_commit_then_push_reaches_the_remote(git_loop, tmp_path):
    git_loop.repo.git("init", "--quiet", "--bare", "--initial-branch=main", str(tmp_path / "remote"))
    git_loop.repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    git_loop.repo.git("push", "--quiet", "--set-upstream", "origin", "main")
    assert git_loop(WORK, answer("Add it"), scm={"command": "git", "tasks": ["commit", "push"]}).code == 0
    assert git_loop.repo.git("log", "--format=%s", "origin/main").splitlines() == ["Add it", "base"]


def test_if_guardrails_fail_scm_tasks_do_not_run(git_loop):
    ended = git_loop(WORK, answer("Add it"), scm=COMMIT, guardrails=[{"command": "false"}], maximumIterations=2)
    assert ended.code == 1
    assert QUESTION not in ended.agent.prompts
    assert git_loop.repo.log() == ["base"]


def test_scm_tasks_run_after_every_iteration_whose_guardrails_pass(git_loop):
    steps = edits({"a": "1"}), edits({"b": "1"}), edits({"c": "1"}) | done()
    git_loop(*steps, answer("Add it"), scm=COMMIT, guardrails=[{"command": "test -f b"}])
    assert git_loop.repo.log() == ["base", "Add it", "Add it"]
    assert git_loop.repo.git("show", "--name-only", "--format=", "HEAD~1").split() == ["a", "b"]


def test_an_iteration_without_a_change_needs_no_message(git_loop):
    ended = git_loop(says("thinking"), done(), answer("Add it"), scm=COMMIT)
    assert ended.code == 0
    assert QUESTION not in ended.agent.prompts
    assert "nothing to commit" in ended.err
