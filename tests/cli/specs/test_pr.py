"""From a spec to a pull request with the real program: `ralph spec run --pr`, and the proof in another clone."""

import pytest

from chunk_crew import BAD, GOOD, SHIP, ChunkCrew
from code_host import CodeHost

pytestmark = pytest.mark.e2e
CRITERIA = [{"check": "grep -q good work.txt", "text": "work.txt says | good"}, "it is good"]
MET = {"final": '{"criteria": [{"criterion": "it is good", "met": true, "reason": "@bob it is"}]}'}


@pytest.fixture
def crew(tmp_path):
    crew = ChunkCrew(tmp_path)
    crew.host = CodeHost(crew.repo, tmp_path)
    crew.task("T-1", criteria=CRITERIA)
    return crew


def test_after_a_good_end_the_pull_request_is_opened_and_its_proof_can_be_verified_elsewhere(crew, tmp_path):
    crew.hire([BAD, GOOD], quick=[SHIP], deep=[SHIP], final=[SHIP], judge=[MET])
    done = crew.ralph("spec", "run", "s", "--pr", env=crew.host.env)
    assert done.code == 0, done.err
    tip = crew.git("rev-parse", "ralph/s").strip()
    assert (
        f"Pushed ralph/s ({tip[:12]}) with the proof notes to origin ({crew.host.bare}).\n"
        "Opened the pull request #12 into main: https://github.com/acme/shop/pull/12\n"
    ) in done.out
    assert crew.host.head("refs/heads/ralph/s") == tip
    assert crew.host.head("refs/notes/ralph-proof") == crew.git("rev-parse", "refs/notes/ralph-proof").strip()
    [pr] = crew.host.prs
    assert pr["isDraft"] is False
    row = "| `T-1` | `work.txt says \\| good` | met (command `grep -q good work.txt`): `exit code 0, as expected` |"
    assert f"{row} checked by ralph at `{tip[:12]}` |" in pr["body"]
    assert "| `T-1` | `it is good` | met (judged by a model): `@bob it is` |" in pr["body"]
    assert "| final | 1 | 1 | 0 | 0 | 0, 0, 0 |" in pr["body"]
    assert "2 iterations, " in pr["body"]
    clone = tmp_path / "clone"
    crew.repo.run("git", "clone", "--quiet", "--branch", "ralph/s", str(crew.host.bare), str(clone))
    elsewhere = {"RALPH_HOME": str(tmp_path / "nobody")}
    verified = crew.repo.run("sh", "-c", f"cd {clone} && ralph proof verify HEAD --run-listed", env=elsewhere)
    assert verified.returncode == 0, verified.stderr


def test_after_a_bad_end_nothing_is_pushed(crew):
    crew.hire([BAD], defaults={"maxIterations": 1})
    done = crew.ralph("spec", "run", "s", "--pr", env=crew.host.env)
    assert done.code == 9
    assert (crew.host.calls, crew.host.head("refs/heads/ralph/s")) == ([], "")


def test_settings_of_git_that_an_agent_planted_are_not_used(crew, tmp_path):
    planted = f"git config remote.origin.receivepack 'touch {tmp_path}/pwned; git-receive-pack'"
    crew.hire([GOOD | {"run": planted}], quick=[SHIP], deep=[SHIP], final=[SHIP], judge=[MET])
    done = crew.ralph("spec", "run", "s", "--pr", env=crew.host.env)
    assert done.code == 2, done.err
    assert "remote.origin.receivepack (not set) → " in done.err
    assert "git config --unset-all remote.origin.receivepack. If it was: ralph config accept" in done.err
    assert (crew.host.head("refs/heads/ralph/s"), (tmp_path / "pwned").exists()) == ("", False)
    crew.git("config", "--unset-all", "remote.origin.receivepack")
    assert crew.ralph("spec", "pr", "s", env=crew.host.env).code == 0


def test_in_the_background_there_is_no_end_to_wait_for(crew):
    crew.hire([GOOD])
    done = crew.ralph("spec", "run", "s", "--pr", "--detach", env=crew.host.env)
    assert (done.code, "ralph spec pr s" in done.err) == (2, True)


def test_where_all_is_done_already_it_is_opened(crew):
    crew.hire([GOOD], judge=[MET])
    assert crew.ralph("spec", "run", "s", env=crew.host.env).code == 0
    done = crew.ralph("spec", "run", "s", "--pr", env=crew.host.env)
    assert (done.code, "Opened the draft pull request #12" in done.out) == (0, True), done.err


@pytest.mark.parametrize("words", [("resume", "-m", "2"), ("retry",)], ids=["resume", "retry"])
def test_a_run_that_goes_on_or_is_made_again_opens_the_pull_request_it_was_started_for(crew, words):
    crew.hire([BAD, GOOD], judge=[MET], defaults={"maxIterations": 1})
    assert crew.ralph("spec", "run", "s", "--pr", env=crew.host.env).code == 9
    assert crew.host.called("create") == []
    done = crew.ralph(*words, env=crew.host.env)
    assert (done.code, "Opened the draft pull request #12" in done.out) == (0, True), done.err


def test_a_resumed_run_that_was_started_without_it_opens_none(crew):
    crew.hire([BAD, GOOD], judge=[MET], defaults={"maxIterations": 1})
    assert crew.ralph("spec", "run", "s", env=crew.host.env).code == 9
    assert crew.ralph("resume", "-m", "2", env=crew.host.env).code == 0
    assert crew.host.calls == []
