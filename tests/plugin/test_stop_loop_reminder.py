"""The Stop hook, by the words of the seed's verification plan."""

import json

import pytest

from plugin_hooks import marker
from ralph.plugin.hooks.scripts.story_rules import snapshot, users_part
from ralph.testing import temp_repo
from user_stories import story

STORY = story(notes="")
PLAN = {"project": "shop", "branchName": "ralph/shop", "description": "", "verifyCommands": [], "userStories": [STORY]}


class Project:
    def __init__(self, repo, hooks):
        self.repo, self.hooks = repo, hooks

    def plan(self, **changes):
        plan = {**PLAN, "userStories": [{**STORY, **changes}]}
        self.repo.write("ralph/tasks.json", json.dumps(plan))
        self.repo.commit_all("work")
        return plan

    def stop(self, folder=None):
        answer = self.hooks.call("stop_loop_reminder", {"cwd": str(folder or self.repo.path)})
        return answer and (answer["decision"], answer["reason"])

    def began(self, mode="implement", **changes):
        marker(
            self.repo.path,
            iterationMode=mode,
            preIterationSnapshot=snapshot(PLAN),
            users=users_part(PLAN),
            reviewCap=5,
            **changes,
        )


@pytest.fixture
def project(tmp_path, hooks):
    made = Project(temp_repo(tmp_path, {".gitignore": ".ralph-active\n"}), hooks)
    made.plan()
    return made


def test_outside_of_a_loop_it_says_nothing(project):
    project.repo.write("dirty.txt", "x")
    project.repo.write("ralph/tasks.json", "{")
    assert project.stop() is None


def test_a_valid_plan_passes_and_a_malformed_one_blocks(project):
    project.began()
    assert project.stop() is None
    project.plan(acceptanceCriteria=[])
    kind, reason = project.stop()
    assert kind == "block"
    assert "Story US-001: 'acceptanceCriteria' must be a list of texts that is not empty" in reason
    for text, words in (("{", "not valid JSON"), ("", "not valid JSON"), ("[" * 100_000, "not valid JSON")):
        project.repo.write("ralph/tasks.json", text)
        assert words in project.stop()[1]


def test_a_plan_that_is_no_file_blocks(project):
    plan = project.repo.path / "ralph/tasks.json"
    project.began()
    plan.unlink()
    assert "does not exist" in project.stop()[1]
    plan.symlink_to("/etc/passwd")
    assert "cannot be read" in project.stop()[1]
    plan.unlink()
    plan.mkdir()
    assert "cannot be read" in project.stop()[1]


def test_uncommitted_changes_block_with_what_to_do(project):
    project.began()
    project.repo.write("src/new.py", "x")
    kind, reason = project.stop(project.repo.path / "src")
    assert kind == "block"
    assert "src/" in reason
    assert "ralph/progress.txt" in reason
    assert "CLAUDE.md or .claude/rules/" in reason
    assert "commit all changes" in reason


def test_what_was_the_users_before_and_ralphs_own_files_do_not_block(project):
    (project.repo.path / ".gitignore").unlink()
    project.repo.commit_all("nothing is ignored")
    project.repo.write("mine.txt", "x")
    project.repo.write("notes/of/mine.txt", "x")
    project.repo.write(".ralph/state.json", "{}")
    project.began(userFiles=["mine.txt", "notes/of/mine.txt"])
    assert project.stop() is None
    project.repo.write("notes/of/theirs.txt", "x")
    assert "notes/of/theirs.txt" in project.stop()[1]


def test_untracked_files_block_whatever_the_users_git_shows(project):
    project.repo.git("config", "status.showUntrackedFiles", "no")
    project.repo.write("new.txt", "x")
    project.began()
    assert "new.txt" in project.stop()[1]


@pytest.mark.parametrize("status", [None, "needs_review", "changes_requested"])
def test_passes_without_approval_blocks(project, status):
    project.plan(passes=True, reviewStatus=status, reviewFeedback="x", notes="did it")
    marker(project.repo.path, reviewCap=5)
    assert "not 'approved'" in project.stop()[1]
    assert "transitions were not checked" in project.hooks.errors, "graceful without a snapshot"


def test_an_implement_iteration_that_approves_is_caught_by_its_transition(project):
    project.plan(passes=True, reviewStatus="approved", reviewCount=1, notes="did it")
    marker(project.repo.path, reviewCap=5)
    assert project.stop() is None, "as a state it is sound"
    project.began("implement")
    assert "Implement iterations cannot set passes=true or approve stories" in project.stop()[1]


def test_skip_review_skips_both_checks(project):
    project.plan(passes=True, notes="did it")
    project.began(skipReview=True)
    assert project.stop() is None


def test_one_block_names_everything_that_is_wrong(project):
    project.plan(passes=True, notes="did it")
    project.repo.write("dirty.txt", "x")
    project.began()
    reason = project.stop()[1]
    assert "not 'approved'" in reason
    assert "dirty.txt" in reason


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"pid": true}', '{"pid": -1}', '{"pid": "x"}', "\x00"])
def test_a_forged_marker_is_no_marker(project, text):
    project.repo.write("dirty.txt", "x")
    project.repo.write(".ralph-active", text)
    assert project.stop() is None


@pytest.mark.parametrize(("run", "is_theirs"), [("r1", True), ("r1.part", True), ("r2", False), ("r12", False)])
def test_an_agent_of_another_run_below_the_project_is_left_alone(project, monkeypatch, run, is_theirs):
    project.began(runId="r1")
    project.repo.write("dirty.txt", "x")
    monkeypatch.setenv("RALPH_RUN_ID", run)
    assert bool(project.stop()) == is_theirs
