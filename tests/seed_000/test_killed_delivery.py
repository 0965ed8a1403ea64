"""A chunk whose ralph is killed just after its work was delivered, and that is run anew instead of resumed."""

import shutil

import pytest

from chunk_crew import GOOD, MADE, SHIP, revise

KILLED = -9
GIT = """#!/bin/sh
"{git}" "$@"
code=$?
if [ ! -e "{mark}" ] && "{git}" -C "{repo}" log -1 --format=%s ralph/s -- 2>/dev/null | grep -q '^Make T-1'; then
    touch "{mark}"
    kill -9 $PPID
fi
exit $code
"""
"""Ends the ralph that has just put its commit on the branch of the spec."""


@pytest.fixture
def killing(crew, tmp_path):
    git = tmp_path / "killing" / "git"
    git.parent.mkdir()
    git.write_text(GIT.format(git=shutil.which("git"), mark=tmp_path / "mark", repo=crew.repo.path))
    git.chmod(0o755)
    return {"PATH": f"{git.parent}:{crew.repo.env['PATH']}"}


def test_what_it_delivered_is_verified_and_reviewed_again_and_the_chunk_ends(crew, killing):
    crew.task()
    crew.hire([GOOD, GOOD], quick=[SHIP], final=[SHIP])
    assert crew.run(env=killing).code == KILLED
    assert crew.subjects() == ["Make T-1"]
    assert crew.status_of() == "interrupted"
    again = crew.run()
    assert again.code == 0, again.err
    assert "which was killed, had delivered it as" in again.err
    assert "proven done" in again.err
    assert crew.status_of() == "completed"
    assert crew.subjects() == ["Make T-1"]
    commit = crew.git("rev-parse", "ralph/s").strip()
    assert crew.json("show", "T-1")["iterations"][-1]["commitHash"] == commit
    assert crew.json("task", "show", "T-1")["summary"]["filesCreated"] == ["work.txt"]


@pytest.mark.e2e
def test_a_reviewer_is_shown_the_change_that_was_delivered(crew, killing):
    crew.task(max_iterations=1)
    crew.hire([GOOD], quick=[SHIP])
    assert crew.run(env=killing).code == KILLED
    # A second tier, which has not seen it.
    crew.hire([GOOD], deep=[revise()])
    assert crew.ralph("config", "accept").code == 0
    crew.run()
    assert "+good" in crew.prompts("deep")[0]


@pytest.mark.e2e
def test_what_does_not_hold_any_more_is_refused(crew, killing):
    crew.task(max_iterations=1)
    crew.hire([GOOD])
    assert crew.run(env=killing).code == KILLED
    crew.hire([GOOD], steps=[MADE, {"name": "More", "command": "grep -q more work.txt"}])
    assert crew.ralph("config", "accept").code == 0
    ended = crew.run()
    assert ended.code == 1
    assert "More: exit code 1" in ended.err
    assert crew.subjects() == ["Make T-1"]


@pytest.mark.e2e
def test_an_attempt_that_changes_nothing_after_a_run_that_ended_is_still_refused(crew):
    crew.task(max_iterations=1)
    crew.hire([GOOD])
    assert crew.run().code == 0
    ended = crew.run("--again")
    assert ended.code == 1
    assert "changed nothing" in ended.err


@pytest.mark.e2e
def test_a_delivery_that_an_agent_forged_before_it_killed_ralph_is_none(crew):
    crew.task(max_iterations=1)
    message = r"Make T-1\n\nRalph-Task: T-1\nRalph-Run: $RALPH_RUN_ID\n"
    forge = f"""echo good > work.txt; git add work.txt
        git commit -qm "$(printf "{message}")"; git update-ref refs/heads/ralph/s HEAD
        kill -9 $(ps -o ppid= -p $PPID); sleep 30"""
    crew.hire([{"run": forge, "final": "It is done."}])
    assert crew.run().code == KILLED
    assert crew.subjects() == ["Make T-1"]
    assert "Ralph-Run: " in crew.git("log", "-1", "--format=%B", "ralph/s")
    crew.hire([GOOD])
    ended = crew.run("--fresh")
    assert ended.code == 1, ended.err
    assert "changed nothing" in ended.err
