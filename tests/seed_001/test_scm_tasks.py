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


# Decisions: what is the user's


def dirty(loop):
    """A project in which the user has changed one file, staged another, made a third and deleted a fourth."""
    for name in ("mine.txt", "staged.txt", "both.txt", "gone.txt"):
        loop.repo.write(name, "old\n")
    loop.repo.commit_all("files")
    loop.repo.write("mine.txt", "my change\n")
    loop.repo.write("both.txt", "my change\n")
    loop.repo.write("staged.txt", "staged\n")
    loop.repo.git("add", "staged.txt")
    loop.repo.write("draft.txt", "mine\n")
    (loop.repo.path / "gone.txt").unlink()
    return loop


def committed(loop):
    return sorted(loop.repo.git("show", "--name-only", "--format=", "HEAD").split())


def test_what_was_changed_before_the_run_is_left_out_of_its_commits(git_loop):
    dirty(git_loop)
    ended = git_loop(WORK, answer("Add it"), scm=COMMIT)
    assert ended.code == 0
    assert committed(git_loop) == ["new.txt"]
    assert git_loop.repo.git("status", "--porcelain").splitlines() == [
        " M both.txt",
        " D gone.txt",
        " M mine.txt",
        "M  staged.txt",
        "?? draft.txt",
    ]
    listed = "both.txt, draft.txt, gone.txt, mine.txt, staged.txt"
    assert f"commits leave out what you changed before the run: {listed}\n" in ended.err


def test_a_file_of_the_users_that_the_agent_changed_too_is_committed_with_a_warning(git_loop):
    dirty(git_loop)
    ended = git_loop(edits({"both.txt": "the agent's\n", "new.txt": "1\n"}) | done(), answer("Add it"), scm=COMMIT)
    assert ended.code == 0
    assert committed(git_loop) == ["both.txt", "new.txt"]
    assert "! the commit also has what you changed before the run in both.txt" in ended.err


def test_files_of_the_user_that_the_agent_deletes_and_restores(git_loop):
    dirty(git_loop)
    work = {"run": "rm draft.txt mine.txt && git checkout --quiet gone.txt"} | done()
    ended = git_loop(work, answer("Delete it"), scm=COMMIT)
    assert ended.code == 0
    assert committed(git_loop) == ["mine.txt"]
    assert git_loop.repo.git("status", "--porcelain").splitlines() == [" M both.txt", "M  staged.txt"]


def test_every_iteration_commits_only_what_changed_since_the_run_began(git_loop):
    dirty(git_loop)
    steps = edits({"a b": "1", "*": "1"}), edits({"a b": "2"}) | done()
    assert git_loop(*steps, answer("Add it"), scm=COMMIT).code == 0
    assert git_loop.repo.log()[-2:] == ["Add it", "Add it"]
    assert git_loop.repo.git("show", "--name-only", "--format=", "HEAD").splitlines() == ["a b"]
    assert git_loop.repo.git("show", "--name-only", "--format=", "HEAD~1").splitlines() == ["*", "a b"]


def test_nothing_but_the_users_own_changes_is_nothing_to_commit(git_loop):
    dirty(git_loop)
    ended = git_loop(done(), answer("Add it"), scm=COMMIT)
    assert ended.code == 0
    assert "nothing to commit" in ended.err
    assert git_loop.repo.log() == ["base", "files"]


def test_dry_run_says_what_is_left_out(git_loop):
    dirty(git_loop)
    git_loop.prepare(WORK, scm=COMMIT)
    told = git_loop.ralph("run", "-p", "x", "--dry-run")
    assert told.code == 0
    assert "SCM tasks: commits leave out what you changed before the run: both.txt, draft.txt" in told.out


@pytest.mark.parametrize(
    ("leave", "told"),
    [
        ("git checkout --quiet --detach", "git commit: Add it (HEAD is detached; main did not move)"),
        ("git switch --quiet -c other", "git commit: Add it (on other, not on main)"),
    ],
)
def test_a_commit_that_is_not_on_the_branch_of_the_start_says_so(git_loop, leave, told):
    ended = git_loop({"run": leave} | WORK, answer("Add it"), scm=COMMIT)
    assert ended.code == 0
    assert told in ended.err
    assert git_loop.repo.git("log", "--format=%s", "main").split() == ["base"]


# Decisions: the user's hooks


def hook(loop, name, script):
    path = loop.repo.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_users_hooks_run_in_commit_and_push(git_loop, tmp_path):
    git_loop.repo.git("init", "--quiet", "--bare", "--initial-branch=main", str(tmp_path / "remote"))
    git_loop.repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    hook(git_loop, "pre-commit", 'touch "$HOME/commit-hook"')
    hook(git_loop, "pre-push", 'touch "$HOME/push-hook"')
    tasks = ["commit", "push --quiet --set-upstream origin main"]
    assert git_loop(WORK, answer("Add it"), scm={"command": "git", "tasks": tasks}).code == 0
    assert (git_loop.repo.home / "commit-hook").exists()
    assert (git_loop.repo.home / "push-hook").exists()


def test_a_hook_that_refuses_is_why_the_scm_tasks_failed(git_loop):
    hook(git_loop, "pre-commit", "echo 'no tabs, please' >&2; exit 1")
    ended = git_loop(WORK, answer("Add it"), scm=COMMIT)
    assert ended.code == 9
    assert "no tabs, please" in ended.err
    assert git_loop.repo.log() == ["base"]


def test_scm_hooks_false_runs_none(git_loop):
    hook(git_loop, "pre-commit", "exit 1")
    assert git_loop(WORK, answer("Add it"), scm={**COMMIT, "hooks": False}).code == 0
    assert git_loop.repo.log() == ["base", "Add it"]


@pytest.mark.parametrize(
    "change",
    [
        "printf '#!/bin/sh\\ntouch $HOME/ran\\n' > .git/hooks/commit-msg; chmod +x .git/hooks/commit-msg",
        "echo 'touch $HOME/ran' >> .git/hooks/pre-commit",
        "mkdir h; cp .git/hooks/pre-commit h; echo 'touch $HOME/ran' >> h/pre-commit; git config core.hooksPath h",
    ],
    ids=["new", "changed", "elsewhere"],
)
def test_a_hook_that_the_run_changed_does_not_run_and_that_is_said(git_loop, change):
    hook(git_loop, "pre-commit", "true")
    ended = git_loop({"run": change} | WORK, answer("Add it"), scm=COMMIT)
    assert ended.code == 0
    assert not (git_loop.repo.home / "ran").exists()
    assert "hooks did not run:" in ended.err
    assert "changed during the run" in ended.err
