"""Runs that stall, with real agents, guardrails and git."""

from ralph.loop.stalling import MOST_FILES, folder_digest
from ralph.testing import edits, says

FAILS = {"command": "echo broken after $$ ms; exit 1"}


def test_a_run_without_progress_ends_stalled_and_says_what_repeated(git_loop):
    ended = git_loop(*[says("I tried.")] * 6, guardrails=[FAILS], stall={"after": 3})
    assert ended.code == 5, ended.err
    assert len(ended.prompts) == 3
    assert f'no progress in 3 iterations in a row: the same files, and "{FAILS["command"]}" failed' in ended.err
    assert "ralph resume" in ended.err
    assert git_loop.show()["verdict"] == "stalled"


def test_a_healthy_slow_run_is_left_alone(git_loop):
    steps = [edits({"work.txt": f"step {number}"}) for number in range(4)]
    ended = git_loop(*steps, guardrails=[FAILS], stall={"after": 2}, maximumIterations=4)
    assert ended.code == 1, ended.err


def test_a_folder_without_git_stalls_too(loop):
    ended = loop(*[says("I tried.")] * 6, guardrails=[FAILS], stall={"after": 2})
    assert ended.code == 5, ended.err


def test_an_empty_git_folder_above_keeps_no_run_from_stalling(loop):
    """A killed agent may have left it."""
    (loop.repo.path.parent / ".git").mkdir()
    ended = loop(*[says("I tried.")] * 6, guardrails=[FAILS], stall={"after": 2})
    assert ended.code == 5, ended.err


def test_a_stalled_run_goes_on_when_a_person_says_so(git_loop):
    git_loop(*[says("I tried.")] * 2, edits({"made": ""}), guardrails=[{"command": "test -f made"}], stall={"after": 2})
    resumed = git_loop.ralph("resume")
    assert "iteration 3/10" in resumed.err


def test_the_digest_of_a_folder_is_that_of_its_files(tmp_path):
    (tmp_path / "a").write_text("1")
    before = folder_digest(tmp_path)
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache/x").write_text("2")
    assert folder_digest(tmp_path) == before
    (tmp_path / "a").write_text("2")
    assert folder_digest(tmp_path) != before


def test_a_folder_that_is_too_large_has_no_digest(tmp_path, monkeypatch):
    monkeypatch.setattr("ralph.loop.stalling.MOST_FILES", 1)
    for name in "ab":
        (tmp_path / name).write_text("")
    assert folder_digest(tmp_path) == ""
    assert MOST_FILES > 1
