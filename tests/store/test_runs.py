import time

import pytest

from ralph.kernel.actions.agent import RunAgent
from ralph.model.errors import ConfigError
from ralph.model.events import Tokens
from ralph.model.verdicts import Verified
from ralph.store.runs import (
    NewRun,
    add_run,
    exists,
    find_run,
    get_run,
    last_over,
    list_runs,
    live_children,
    live_runs,
    new_run_id,
    options_of,
    part_id,
    runs_of_task,
    runs_under_way,
    spent_by,
    tree_of,
)
from ralph.store.sql import Lost
from stores import PROJECT, change, new_run, perform, taken, worked


def ids(runs):
    return [run.id for run in runs]


def test_what_a_run_was_stored_with_comes_back(store, another):
    facts = {"task_id": "T1", "label": "T1 ✓", "unit": "restart", "limit": 7, "agent": "claude", "is_part": True}
    new_run(store, "top.part", **facts)
    run = get_run(another, "top.part")
    assert {name: getattr(run, name) for name in facts} == facts
    assert (run.status, run.recipe, run.project, run.parent_id) == ("queued", "prompt", PROJECT, "top")
    assert (run.verdict, run.exit_code, run.cost_usd, run.tokens, run.now) == (None, None, None, Tokens(), None)


def test_options_come_back_as_they_were(store, another):
    run_id = new_run(store, options=b'{"settings": {"a": [1, null, "\xc3\xa4"]}, "loop": {}}')
    assert options_of(another, run_id) == {"settings": {"a": [1, None, "ä"]}, "loop": {}}


def test_a_run_is_stored_once(store, another):
    new_run(store, "run", label="first")
    with pytest.raises(Lost):
        new_run(another, "run", label="second")
    again = NewRun(id="run", recipe="prompt", project=PROJECT, options=b"{}", label="third")
    add_run(another, again, if_missing=True)
    assert get_run(store, "run").label == "first"


def test_a_run_that_is_not_there_is_none(store):
    assert (get_run(store, "run"), exists(store, "run")) == (None, False)
    new_run(store, "run")
    assert exists(store, "run")


def test_the_newest_run_comes_first(store):
    made = [new_run(store) for _ in range(3)]
    assert ids(list_runs(store)) == made[::-1]
    assert ids(list_runs(store, limit=1)) == made[-1:]


def test_runs_are_listed_by_project_and_by_age_and_without_their_parts(store):
    mine = new_run(store)
    new_run(store, f"{mine}.part")
    other = new_run(store, project="another")
    change(store, other, started_at=time.time() - 100)
    assert ids(list_runs(store, project=PROJECT)) == [f"{mine}.part", mine]
    assert ids(list_runs(store, tops=True)) == [mine, other]
    assert ids(list_runs(store, tops=True, since=time.time() - 50)) == [mine]


def test_a_run_is_found_by_the_beginning_of_its_id(store):
    run_id = new_run(store)
    new_run(store, f"{run_id}.part")
    assert find_run(store, run_id[:5]).id == run_id
    assert find_run(store, run_id.upper()).id == run_id


def test_a_part_is_found_by_the_beginning_of_its_name_whatever_its_case(store):
    new_run(store, "abc")
    new_run(store, "abc.TASK-1")
    new_run(store, "abc.TASK-1.coder")
    new_run(store, "abc.TASK-2")
    assert find_run(store, "abc.task-1").id == "abc.TASK-1"
    assert find_run(store, "abc.TASK-1.c").id == "abc.TASK-1.coder"
    with pytest.raises(ConfigError, match=r"several runs begin with 'abc\.task'"):
        find_run(store, "abc.task")


@pytest.mark.parametrize("prefix", ["", "zz", "%", "_", "ffffffffff", "ä", "a'b", ":id"])
def test_a_run_that_is_not_there_is_not_found(store, prefix):
    new_run(store)
    with pytest.raises(ConfigError, match="there is no run"):
        find_run(store, prefix)


def test_a_beginning_of_several_ids_is_not_enough(store):
    for run_id in ("abc1", "abc2", "abc1.part"):
        new_run(store, run_id)
    with pytest.raises(ConfigError, match="several runs begin with 'abc'"):
        find_run(store, "abc")


def test_ids_of_parts_hold_their_parents(store):
    assert part_id("abc", "v1.2") == "abc.v1~2"
    assert new_run_id("abc").startswith("abc.")
    assert len({new_run_id() for _ in range(100)}) == 100


def test_a_tree_is_the_run_and_all_below_it_and_no_other(store):
    for run_id in ("ab", "a", "a-b", "a/b", "a.x", "a.x.y", "a.B", "b.a"):
        new_run(store, run_id)
    assert ids(tree_of(store, "a")) == ["a", "a.x", "a.x.y", "a.B"]
    assert ids(tree_of(store, "a.x")) == ["a.x", "a.x.y"]


def test_a_run_has_cost_what_it_and_all_below_it_cost(store, another):
    for run_id, cost, tokens in (("a", None, 1), ("a.x", 0.5, 2**40), ("a.x.y", 0.25, 4), ("ab", 8.0, 8)):
        journal = taken(store, run_id)
        perform(journal, RunAgent(1, "Do it."), worked(cost=cost, input=tokens))
        journal.close(Verified(1))
    assert get_run(another, "a").cost_usd == 0.75
    assert get_run(another, "a").tokens == Tokens(input=2**40 + 5)
    spent = spent_by(another, "a.x")
    assert (spent.usd, spent.tokens.total) == (0.75, 2**40 + 4)
    assert spent_by(another, new_run(store, "new")).usd is None


def test_only_runs_under_way_are_live(store):
    driven = taken(store)
    queued = new_run(store, project="another")
    taken(store).close(Verified(1))
    assert ids(live_runs(store)) == [driven.run_id, queued]
    assert ids(live_runs(store, PROJECT)) == [driven.run_id]


def test_the_last_one_that_is_over_is_the_newest_that_does_not_live(store):
    assert last_over(store, PROJECT, live=0) is None
    first, second = taken(store), taken(store)
    for journal in (first, second):
        journal.close(Verified(1))
    taken(store)
    new_run(store, f"{second.run_id}.12345678")
    new_run(store, f"{second.run_id}.part", is_part=True)
    assert last_over(store, PROJECT, live=1).id == second.run_id
    assert last_over(store, "another", live=0) is None


def test_the_runs_of_a_task_are_found_oldest_first(store):
    made = [new_run(store, task_id="T1") for _ in range(3)]
    new_run(store, task_id="T2")
    new_run(store, task_id="T1", project="another")
    assert ids(runs_of_task(store, PROJECT, "T1")) == made


def test_tasks_under_way_are_named_with_the_topmost_of_their_runs(store):
    taken(store, "a", task_id="T1")
    taken(store, "a.coder", task_id="T1")
    taken(store, "b", task_id="T2").close(Verified(1))
    new_run(store, "c", task_id="T3")
    killed = taken(store, "d", task_id="T4")
    change(store, killed.run_id, owner=None)
    assert runs_under_way(store, PROJECT) == {"T1": "a"}


def test_only_what_agents_started_are_children(store):
    taken(store, "a")
    taken(store, "a.part", is_part=True)
    taken(store, "a.started")
    taken(store, "a.part.started")
    taken(store, "a.over").close(Verified(1))
    taken(store, "ab.started")
    assert live_children(store, "a") == 2
