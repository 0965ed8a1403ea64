"""A story loop that is killed: what its agent left is checked like the work of one that has ended. Nothing is lost."""

import os
import random
import shutil
import signal
import stat
import subprocess
import time

import pytest

from ralph.testing import run_ralph
from ralph.testing.program import ralph_program
from story_project import CHEATS, StoryProject

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

KILLS = (
    CHEATS
    + """
def kills():
    os.kill(os.getppid(), 9)
    import time
    time.sleep(60)
def submits_and_kills():
    honest()
    kills()
def kills_before_the_commit():
    globals()["commit"] = kills
    honest()
def cheats_and_kills():
    cheats()
    kills()
def leaves_the_branch_and_kills():
    git("checkout", "--quiet", "-b", "elsewhere")
    cheats()
    kills()
"""
)
GIT = """#!/bin/sh
case "$*" in
*core.fsmonitor=false*" {word} "*)
    if [ -e "$HOME/turn" ] && [ ! -e "{folder}/killed" ]; then
        touch "{folder}/killed"
        {before_the_end}
        kill -9 $PPID
        exit 1
    fi
esac
exec "{git}" "$@"
"""


@pytest.fixture
def project(tmp_path):
    made = StoryProject(tmp_path)
    made.prepare()
    return made


def resumed(project, **how):
    done = run_ralph(project.repo, "resume", **how)
    assert done.returncode == 0, done.stderr
    assert (project.story["passes"], project.story["reviewStatus"]) == (True, "approved")
    assert project.branch == "ralph/shop"
    assert project.repo.git("status", "--porcelain").strip() == ""
    assert not (project.repo.path / ".ralph-active").exists()
    return done


@pytest.mark.parametrize(
    ("turn", "iterations", "told"),
    [
        # It was submitted, and legally so: the same iteration is made again as a review.
        ("submits_and_kills", 1, "ralph was ended before this agent was"),
        ("kills_before_the_commit", 2, "Story US-001 was moved on, but neither that nor work.txt is committed."),
        ("kills", 2, "ralph was ended before this agent was"),
        ("cheats_and_kills", 2, "cannot set passes=true or approve stories"),
        ("leaves_the_branch_and_kills", 2, "elsewhere was checked out. ralph checked out ralph/shop again."),
    ],
)
def test_what_a_killed_agent_left_is_settled_and_the_mode_is_taken_anew(project, turn, iterations, told):
    killed = project.run(f"{turn}, honest", behaviours=KILLS)
    assert killed.returncode == -signal.SIGKILL
    done = resumed(project)
    assert told in done.stderr
    assert f"after {iterations} iteration" in done.stderr
    assert project.story["reviewCount"] == 1


def test_a_loop_that_is_killed_while_its_commands_run_runs_them_again(project):
    flag = project.repo.home / "killed"
    project.prepare_commands(f"[ -e {flag} ] || {{ touch {flag}; kill -9 $PPID; }}; grep -q right work.txt")
    assert project.run("honest").returncode == -signal.SIGKILL
    done = resumed(project)
    assert "after 2 iterations" in done.stderr


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("word", ["commit-tree", "update-ref", "update-index"])
def test_a_cheat_does_not_count_though_its_undoing_is_killed(project, tmp_path, word, after):
    folder = tmp_path / "killing"
    folder.mkdir()
    git = shutil.which("git")
    done = f'"{git}" "$@"' if after else ":"
    (folder / "git").write_text(GIT.format(folder=folder, word=word, git=git, before_the_end=done), encoding="utf-8")
    (folder / "git").chmod(stat.S_IRWXU)
    path = {"PATH": f"{folder}:{project.repo.env['PATH']}"}
    # The first such call after the agent's turn puts back what it did.
    assert project.run("cheats, honest", behaviours=CHEATS, env=path).returncode == -signal.SIGKILL
    resumed(project, env=path)
    assert project.story["reviewCount"] == 1
    assert "ralph: restore US-001" in project.repo.git("log", "--format=%s")


def test_twenty_kills_at_any_moment_lose_nothing(project):
    project.prepare_stories(3)
    chance = random.Random(4)  # noqa: S311 - no secret
    argv = [ralph_program(), "prd", "run", "-n", "60", "--agent", str(project.write_agent("by_the_book", BOOK))]
    killed = 0
    for _ in range(60):
        process = subprocess.Popen(
            argv,
            cwd=project.repo.path,
            env=project.repo.env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            _, told = process.communicate(timeout=chance.uniform(0.4, 2.5) if killed < 20 else 120)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            killed += 1
            time.sleep(0.05)
            argv = [ralph_program(), "resume"] if _is_stored(project) else argv
            continue
        # It may have been killed just after its end.
        assert process.returncode == 0 or "no run of this project can continue" in told, told
        break
    assert killed >= 5, "it was over before it was killed"
    assert all(story["passes"] and story["reviewCount"] == 1 for story in project.plan["userStories"])
    lines = project.repo.read("work.txt").splitlines()
    assert set(lines) == {"US-001", "US-002", "US-003"}
    assert project.repo.git("status", "--porcelain").strip() == ""


BOOK = """
import time
def by_the_book():
    marker = json.load(open(".ralph-active"))
    wanted = {"implement": None, "review": "needs_review", "review-fix": "changes_requested"}[mode]
    fitting = [each for each in tasks["userStories"] if each["reviewStatus"] == wanted]
    if fitting:
        story = fitting[0]
        time.sleep(0.2)
        if mode == "review":
            story["reviewCount"] += 1
            story.update(reviewStatus="approved", passes=True)
        else:
            with open("work.txt", "a") as work:
                work.write(story["id"] + "\\n")
            story.update(reviewStatus="needs_review", reviewFeedback="", notes="wrote work.txt")
        save()
        time.sleep(0.1)
    commit()
"""


def _is_stored(project):
    return "interrupted" in run_ralph(project.repo, "runs").stdout
