"""The store's part of forgetting runs: what a look reads, and what followers see of a removal."""

import time

import pytest

from ralph.kernel.actions.agent import RunAgent
from ralph.store.control import say
from ralph.store.follow import last_id, news
from ralph.store.gc import removal, trees
from ralph.store.journal import Journal
from ralph.store.runs import NewRun, add_run
from stored_runs import StoredRuns


@pytest.fixture
def runs(tmp_path):
    return StoredRuns(tmp_path / "home")


def test_a_follower_that_is_beyond_removed_rows_sees_the_new_ones(runs, tmp_path):
    """The highest ids are removed: used again, they would be behind the follower's place."""
    runs.add(tmp_path / "p")
    with runs.open() as store:
        place = last_id(store)
        [tree] = trees(store)
        store.write(*removal(tree))
        assert (store.read("SELECT count(*) AS many FROM journal"), last_id(store)) == ([{"many": 0}], 0)
        assert news(store, place) == []
        add_run(store, NewRun(id="0000aaaa", recipe="prompt", project="p", options=b"{}"))
        journal = Journal.take(store, "0000aaaa")
        journal.begin(RunAgent(1, "Go on."))
        seen = news(store, place)
    assert [row.what for row in seen] == ["opened", "taken", "begun"]
    assert min(row.id for row in seen) > place


def test_a_word_has_an_id_that_no_removed_word_had(runs, tmp_path):
    """Actions name the last word that they have seen."""
    old = runs.add(tmp_path / "p", age=10)
    new = runs.add(tmp_path / "p")
    with runs.open() as store:
        say(store, old, "guide", "Be quick.")
        [before] = store.read("SELECT max(id) AS id FROM control")
        [_, tree] = trees(store)
        store.write(*removal(tree))
        say(store, new, "guide", "Be quick.")
        [after] = store.read("SELECT id FROM control")
    assert after["id"] > before["id"]


def test_trees_come_with_the_newest_first_and_roots_before_what_is_below(runs, tmp_path):
    old = runs.add(tmp_path / "p", age=300)
    new = runs.add(tmp_path / "p", age=200)
    late_child = runs.add(tmp_path / "p", parent=old)
    grandchild = runs.add(tmp_path / "q", parent=late_child)
    with runs.open() as store:
        assert [[each.id for each in tree.members] for tree in trees(store)] == [[new], [old, late_child, grandchild]]


def test_an_id_that_begins_like_another_is_not_below_it(runs, tmp_path):
    runs.add(tmp_path / "p")
    with runs.open() as store:
        for each in ("abc", "abc.x", "abc-d", "abc/d", "abcd", "ab"):
            add_run(store, NewRun(id=each, recipe="prompt", project="q", options=b"{}"))
        found = {tree.root.id: [each.id for each in tree.members] for tree in trees(store, "q")}
        assert found == {
            "abc": ["abc", "abc.x"],
            "abc-d": ["abc-d"],
            "abc/d": ["abc/d"],
            "abcd": ["abcd"],
            "ab": ["ab"],
        }
        [tree] = [tree for tree in trees(store, "q") if tree.root.id == "abc"]
        store.write(*removal(tree))
    assert {"abc-d", "abc/d", "abcd", "ab"} < runs.ids
    assert not {"abc", "abc.x"} & runs.ids


def test_a_look_at_one_project_does_not_read_the_others(runs, tmp_path):
    """Measured, not guessed: what it costs grows with the project, not with the database."""
    runs.add(tmp_path / "p")
    with runs.open() as store:
        alone = _seconds(store, "p")
        for number in range(2000):
            add_run(store, NewRun(id=f"{number:08x}", recipe="prompt", project="other", options=b"{}"))
        assert len(trees(store)) == 2001
        everything = _seconds(store, None)
        assert _seconds(store, "p") < max(10 * alone, everything / 20)


def _seconds(store, project):
    """The best of a few: what else the machine does is not counted."""
    best = float("inf")
    for _ in range(20):
        began = time.process_time()
        trees(store, project)
        best = min(best, time.process_time() - began)
    return best
