"""What people say to a run, and who hears it."""

import getpass

import pytest

from ralph.store.control import STEERING, heard, latest, say, saying
from ralph.store.sql import Lost
from stores import change, new_run


@pytest.fixture
def tree(store):
    """A run with a part that has a part, and a run that an agent of the part started."""
    new_run(store, "top")
    new_run(store, "top.task", is_part=True)
    new_run(store, "top.task.coder", is_part=True)
    new_run(store, "top.task.coder.12345678")
    new_run(store, "other")
    return store


def words(store, run_id, *said, after=0):
    return [(word.said, word.text) for word in heard(store, run_id, *said, after=after)]


def test_nothing_is_heard_before_anything_is_said(tree):
    assert latest(tree, "top") is None


def test_the_latest_of_go_pause_and_stop_holds(tree, another):
    for said in ("pause", "go", "pause", "stop"):
        say(another, "top", said)
        assert latest(tree, "top").said == said
    say(another, "top", "guide", "Use tabs.")
    assert latest(tree, "top").said == "stop"


def test_a_word_is_kept_with_its_moment_and_who_said_it(tree, another, monkeypatch):
    monkeypatch.delenv("RALPH_RUN_ID", raising=False)
    say(tree, "top", "guide", "Use tabs: 100% :of them.\n'Really.'")
    [word] = heard(another, "top", "guide")
    assert (word.run_id, word.said_by, word.text) == ("top", getpass.getuser(), "Use tabs: 100% :of them.\n'Really.'")
    monkeypatch.setenv("RALPH_RUN_ID", "abc")
    say(tree, "top", "guide")
    assert heard(another, "top", "guide")[-1].said_by == "run abc"


@pytest.mark.parametrize("said", STEERING)
def test_steering_reaches_all_below_and_none_beside_or_above(tree, said):
    say(tree, "top.task", said)
    reached = [
        run for run in ("top", "top.task", "top.task.coder", "top.task.coder.12345678", "other") if latest(tree, run)
    ]
    assert reached == ["top.task", "top.task.coder", "top.task.coder.12345678"]


@pytest.mark.parametrize("said", ["guide", "grant", "approve", "reject"])
def test_guidance_does_not_reach_a_run_that_an_agent_started(tree, said):
    say(tree, "top", said, "a")
    reached = [
        run for run in ("top", "top.task", "top.task.coder", "top.task.coder.12345678") if words(tree, run, said)
    ]
    assert reached == ["top", "top.task", "top.task.coder"]
    say(tree, "top.task.coder.12345678", said, "b")
    assert words(tree, "top.task.coder.12345678", said) == [(said, "b")]


def test_words_to_a_run_and_to_those_above_it_come_in_the_order_in_which_they_were_said(tree, another):
    for number, run in enumerate(["top.task", "top", "top.task", "other", "top"]):
        say(tree if number % 2 else another, run, "guide", str(number))
    assert [text for _, text in words(tree, "top.task", "guide")] == ["0", "1", "2", "4"]


def test_who_names_the_last_word_it_saw_gets_each_once(tree):
    say(tree, "top", "guide", "first")
    [first] = heard(tree, "top", "guide")
    say(tree, "top", "guide", "second")
    assert words(tree, "top", "guide", after=first.id) == [("guide", "second")]


def test_words_are_said_together_or_not_at_all(tree):
    with pytest.raises(Lost):
        tree.write(saying("top", "stop"), saying("nobody", "stop"))
    assert latest(tree, "top") is None


def test_a_word_comes_to_a_run_that_was_moved_on_meanwhile(tree, another):
    version = tree.version()
    say(another, "top", "pause")
    assert tree.version() != version
    change(another, "top", status="running")
    assert latest(tree, "top").said == "pause"
