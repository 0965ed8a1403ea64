import json

import pytest

from loops import NAMED
from ralph.testing import done, says
from stored_runs import StoredRuns

FIELDS = [
    *("id", "parentId", "recipe", "status", "verdict", "reason", "proof", "iterations"),
    *("startedAt", "endedAt", "costUsd", "tokens", "project"),
]


@pytest.fixture
def store(loop):
    return StoredRuns(loop.repo.home / ".ralph")


def test_the_list_is_still_what_runs_alone_means(loop):
    loop(says("hm") | {"cost": 0.5}, done())
    (run,) = json.loads(loop.ralph("runs", "--json").out)
    assert list(run) == FIELDS
    facts = f"{run['id']}  verified       {NAMED} · just now · 2 iterations · $0.5"
    assert loop.ralph("runs").out == f"{facts} · done by the agent's word after 2 iterations; nothing was checked\n"


def test_so_many_as_wanted_the_newest_first(loop, store):
    ids = [store.add(loop.repo.path, age=age) for age in (300, 200, 100)]
    assert [run["id"] for run in json.loads(loop.ralph("runs", "--json", "-n", "2").out)] == ids[:0:-1]


def test_the_project_is_an_id_for_programs_and_a_path_for_people(loop, store, tmp_path):
    store.add(tmp_path / "other")
    (run,) = json.loads(loop.ralph("runs", "--all", "--json").out)
    assert run["project"] == "other"
    listed = loop.ralph("runs", "--all").out
    assert f" · {tmp_path}/other · done by the agent's word after 1 iteration; nothing was checked\n" in listed


def test_a_run_of_a_recipe_that_is_not_known_is_listed(loop, store):
    run = store.add(loop.repo.path, recipe="dreams", label="night 1", unit="dream", verdict="awake", reason="morning")
    assert loop.ralph("runs").out == f"{run}  awake          dreams night 1 · just now · 1 dream · morning\n"


def test_an_empty_list(loop):
    assert loop.ralph("runs").out == 'Nothing has run here yet. Start: ralph run -p "..."\n'
    assert json.loads(loop.ralph("runs", "--json").out) == []


def test_gc_forgets_a_real_run_and_its_files(loop, store):
    loop(says("x" * 5000), done())
    assert loop(done(), args=("-p", "A second one.")).code == 0
    first, second = sorted(json.loads(loop.ralph("runs", "--json").out), key=lambda run: run["startedAt"])
    ended = loop.ralph("runs", "gc", "--keep", "1")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("Removed 1 run and ")
    assert ended.out.endswith(" KB of files.\n")
    assert store.ids == {second["id"]}
    assert [path.name for path in (loop.repo.path / ".ralph/runs").iterdir()] == [second["id"]]
    assert loop.ralph("show", first["id"]).code == 2
    assert loop.ralph("show").code == 0


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ((), "exactly one of --keep and --older-than is needed, neither given"),
        (("--keep", "1", "--older-than", "1d"), "exactly one of --keep and --older-than is needed, both given"),
        (("--keep", "-1"), "Invalid value for '--keep'"),
        (("--older-than", "a while"), "Invalid value for '--older-than': it must be a duration"),
        (("--older-than", "-1d"), "Invalid value for '--older-than'"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_removed(loop, store, args, problem):
    run = store.add(loop.repo.path, age=1e8)
    ended = loop.ralph("runs", "gc", *args)
    assert ended.code == 2
    assert problem in ended.err
    assert store.ids == {run}


@pytest.mark.parametrize("option", [("--all",), ("--json",), ("-n", "3")])
def test_options_of_the_list_before_gc_are_refused(loop, store, option):
    """`ralph runs --all gc` must not look as if it had removed the runs of all projects."""
    ended = loop.ralph("runs", *option, "gc", "--keep", "0")
    assert ended.code == 2
    assert "belongs to the list, not to gc" in ended.err


def test_gc_is_named_in_the_help(loop):
    assert "gc " in loop.ralph("runs", "--help").out
