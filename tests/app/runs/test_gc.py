import os
import subprocess
import sys

import pytest
from msgspec.structs import replace

from loops import waits
from ralph.app.runs.gc import Collected, Wanted, collect
from ralph.model.errors import ConfigError, StateError
from ralph.store.control import say
from ralph.store.gc import removal, trees
from ralph.store.run_files import run_files
from ralph.store.sql import Sql
from ralph.testing import done
from stored_runs import DAY, HOUR, StoredRuns, run_dir

LONG = "A prompt too long for the journal's own table. " * 200
ALL_OVER = Wanted(keep=0, interrupted=True)


@pytest.fixture
def project(tmp_path):
    return tmp_path / "project"


@pytest.fixture
def store(tmp_path):
    return StoredRuns(tmp_path / "home/.ralph")


def gc(store, project, *, dry_run=False, **wanted):
    with store.open() as opened:
        return replace(collect(opened, project, Wanted(**wanted), dry_run=dry_run), gone=())


def test_the_newest_are_kept(store, project):
    old, middle, new = (store.add(project, age=age) for age in (300, 200, 100))
    assert gc(store, project, keep=1) == Collected(2, 2000)
    assert store.ids == {new}
    assert run_dir(project, new).exists()
    assert not run_dir(project, old).exists()
    assert not run_dir(project, middle).exists()


def test_keep_0_removes_all_that_ended(store, project):
    store.add(project)
    assert gc(store, project, keep=0).runs == 1
    assert store.ids == set()


@pytest.mark.parametrize("both", [{}, {"keep": 1, "older_than": 1.0}])
def test_exactly_one_rule_is_needed(store, project, both):
    with pytest.raises(ConfigError, match="exactly one of --keep and --older-than is needed"):
        gc(store, project, **both)


def test_what_was_last_active_longer_ago_goes(store, project):
    store.add(project, age=31 * DAY)
    young = store.add(project, age=29 * DAY)
    begun_long_ago = store.add(project, age=29 * DAY, started_at=0.0)
    assert gc(store, project, older_than=30 * DAY).runs == 1
    assert store.ids == {young, begun_long_ago}


def test_a_tree_is_as_old_as_the_last_thing_that_happened_in_it(store, project):
    top = store.add(project, age=31 * DAY)
    child = store.add(project, parent=top, age=29 * DAY)
    assert gc(store, project, older_than=30 * DAY).runs == 0
    assert store.ids == {top, child}
    assert gc(store, project, older_than=28 * DAY).runs == 2


def test_an_interrupted_run_is_as_old_as_the_last_thing_it_did(store, project):
    store.add(project, status="interrupted", started_at=0.0)
    assert gc(store, project, older_than=DAY, interrupted=True).runs == 0
    assert gc(store, project, older_than=0.0, interrupted=True).runs == 1


def test_a_project_is_another_ones_only_with_all(store, project, tmp_path):
    here = [store.add(project, age=age) for age in (200, 100)]
    elsewhere = [store.add(tmp_path / "other", age=age) for age in (400, 300)]
    gc(store, project, keep=1)
    assert store.ids == {here[1], *elsewhere}
    gc(store, None, keep=1)
    assert store.ids == {here[1], elsewhere[1]}, "one is kept in each project"


def test_a_directory_that_is_no_project_has_nothing_to_forget(store, project, tmp_path):
    run = store.add(project)
    assert gc(store, tmp_path / "unknown", keep=0) == Collected()
    assert store.ids == {run}
    assert store.count("projects") == 1, "a look registers nothing"


# What may go on


@pytest.mark.parametrize("status", ["running", "waiting", "paused"])
def test_what_lives_stays(store, project, status):
    run = store.unfinished(project, status=status)
    assert gc(store, project, keep=0, interrupted=True).runs == 0
    assert store.ids == {run}
    assert run_dir(project, run).exists()


@pytest.mark.parametrize("status", ["queued", "stopped"])
def test_what_waits_for_a_process_or_a_person_stays(store, project, status):
    run = store.add(project, status=status)
    assert gc(store, project, keep=0, interrupted=True).runs == 0
    assert store.ids == {run}


ELSEWHERE = [{"pid_namespace": "pid:[1]"}, {"host": "faraway"}, {"boot": "another"}]


@pytest.mark.parametrize("where", ELSEWHERE, ids=["another pid namespace", "another machine", "another boot"])
def test_a_run_elsewhere_lives_while_its_lease_holds(store, project, where):
    """Its pid says nothing here: a live run in a container was once taken for an interrupted one, and removed."""
    run = store.unfinished(project, pid=2**22 - 1, since=1.0, lease=HOUR, **where)
    assert gc(store, project, keep=0, interrupted=True).runs == 0
    assert store.ids == {run}
    assert run_dir(project, run).exists()


@pytest.mark.parametrize("where", ELSEWHERE, ids=["another pid namespace", "another machine", "another boot"])
def test_a_run_elsewhere_is_interrupted_when_its_lease_is_over(store, project, where):
    store.unfinished(project, lease=-1.0, **where)
    assert gc(store, project, keep=0).runs == 0
    assert gc(store, project, keep=0, interrupted=True).runs == 1


@pytest.mark.parametrize("how", ["stopped by a person", "died without a word"])
def test_what_was_interrupted_goes_only_if_that_is_asked_for(store, project, how):
    if how == "died without a word":
        store.killed(project)
    else:
        store.add(project, status="interrupted")
    assert gc(store, project, keep=0).runs == 0
    assert gc(store, project, keep=0, interrupted=True).runs == 1


# Trees


def test_trees_go_as_a_whole(store, project, tmp_path):
    top = store.add(project, age=300)
    child = store.add(tmp_path / "other", parent=top, age=200)
    store.add(project, parent=child, age=100)
    newest = store.add(project)
    assert gc(store, project, keep=1) == Collected(3, 3000)
    assert store.ids == {newest}
    assert list((tmp_path / "other/.ralph/runs").iterdir()) == []


@pytest.mark.parametrize("depth", [1, 2])
def test_a_run_below_that_lives_keeps_its_whole_tree(store, project, tmp_path, depth):
    ids = [store.add(project, age=300)]
    for _ in range(depth - 1):
        ids.append(store.add(project, parent=ids[-1], age=200))
    ids.append(store.unfinished(tmp_path / "other", parent=ids[-1]))
    gc(store, project, keep=0, interrupted=True)
    assert store.ids == set(ids)
    assert run_dir(project, ids[0]).exists()


def test_a_child_does_not_go_without_its_parent_of_another_project(store, project, tmp_path):
    top = store.add(tmp_path / "other")
    child = store.add(project, parent=top, age=DAY)
    gc(store, project, keep=0)
    assert store.ids == {top, child}


def test_journal_words_and_blobs_go_but_not_a_blob_that_another_run_needs(store, project):
    with_words = store.add(project, prompt=f"{LONG} one", age=200)
    with store.open() as opened:
        say(opened, with_words, "guide", "Be quick.")
    shared = [store.add(project, prompt=LONG, age=age) for age in (100, 0)]
    rows, blobs = len(store.rows(shared[1])), store.count("blobs")
    gc(store, project, keep=1)
    assert (store.count("journal"), store.count("control"), store.count("blobs")) == (rows, 0, blobs // 2)
    assert [LONG.encode()[:99] in row.body for row in store.rows(shared[1])].count(True) == 1
    gc(store, project, keep=0)
    assert (store.count("journal"), store.count("blobs")) == (0, 0)


def test_a_dry_run_says_the_same_and_changes_nothing(store, project):
    runs = {store.add(project, age=age) for age in (200, 100)}
    assert gc(store, project, keep=0, dry_run=True) == Collected(2, 2000)
    assert store.ids == runs
    assert {path.name for path in (project / ".ralph/runs").iterdir()} == runs


# Files


def test_a_missing_project_is_no_problem(store, tmp_path):
    store.add(tmp_path / "gone")
    (tmp_path / "gone").rename(tmp_path / "moved")
    assert gc(store, None, keep=0) == Collected(1, 0)


def test_a_project_that_lies_on_another_machine_is_no_problem(store, project):
    run = store.add(project)
    with store.open() as opened:
        opened.write(Sql("UPDATE project_places SET host = 'faraway'"))
    assert gc(store, None, keep=0) == Collected(1, 0)
    assert run_dir(project, run).exists(), "a directory here of the same name is not that machine's"


def test_a_link_in_the_place_of_a_run_is_removed_and_its_target_is_not(store, project, tmp_path):
    run = store.add(project)
    target = tmp_path / "precious"
    run_dir(project, run).rename(target)
    run_dir(project, run).symlink_to(target)
    assert gc(store, project, keep=0) == Collected(1, 0)
    assert (target / "iteration-1/stream.ndjson").exists()
    assert list((project / ".ralph/runs").iterdir()) == []


def test_links_inside_of_a_run_are_not_followed(store, project, tmp_path):
    run = store.add(project)
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious/file").write_text("precious" * 1000)
    (run_dir(project, run) / "link").symlink_to(tmp_path / "precious")
    gc(store, project, keep=0)
    assert store.ids == set()
    assert (tmp_path / "precious/file").exists()


@pytest.mark.parametrize("link", [".ralph", ".ralph/runs"])
def test_a_link_in_the_place_of_the_folder_keeps_the_runs_and_is_named(loop, tmp_path, link):
    store, project = StoredRuns(loop.repo.home / ".ralph"), loop.repo.path
    run = store.add(project)
    (project / link).rename(tmp_path / "elsewhere")
    (project / link).symlink_to(tmp_path / "elsewhere")
    ended = loop.ralph("runs", "gc", "--keep", "0")
    assert ended.code == 9
    assert f"run {run} stays" in ended.err
    assert "Removed 0 runs" in ended.out
    assert store.ids == {run}


def test_what_a_killed_removal_left_behind_goes_with_the_next(store, project):
    store.add(project)
    left = project / ".ralph/runs/.removed-0123abcd/iteration-1"
    left.mkdir(parents=True)
    gc(store, project, keep=5)
    assert not left.parent.exists()


def test_what_a_killed_removal_put_aside_comes_back_if_its_run_is_still_there(store, project):
    run = store.add(project)
    run_dir(project, run).rename(run_dir(project, f".removed-{run}"))
    gc(store, project, keep=5)
    assert (run_dir(project, run) / "iteration-1/stream.ndjson").exists()


def test_a_folder_that_cannot_be_written_keeps_its_run(store, project):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    run = store.add(project)
    (project / ".ralph/runs").chmod(0o500)
    try:
        collected = gc(store, project, keep=0)
    finally:
        (project / ".ralph/runs").chmod(0o700)
    assert [problem.partition(":")[0] for problem in collected.problems] == [f"run {run} stays"]
    assert store.ids == {run}


# Meanwhile


def test_a_running_loop_goes_on_undisturbed(loop):
    store, project = StoredRuns(loop.repo.home / ".ralph"), loop.repo.path
    old = store.add(project, age=DAY)
    loop.prepare({"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        assert gc(store, project, keep=0, interrupted=True).runs == 1
        loop.repo.write("go", "")
        assert running.end().code == 0
    assert loop.show()["verdict"] == "verified"
    assert old not in store.ids


# In the place of another process that takes the run, or gives it a child, while gc has just looked.
TAKEN = """
import sys, time
from ralph.store.journal import Journal
from ralph.store.open import open_store
Journal.take(open_store(), sys.argv[1], go_on=True)
print("taken", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("which", ["the run", "a part of it"])
def test_a_tree_of_which_a_run_was_taken_since_it_was_chosen_stays(store, project, tmp_path, which):
    top = store.add(project, status="interrupted")
    part = store.add(project, parent=top, part="one")
    with store.open() as opened:
        [tree] = trees(opened)
        env = {**os.environ, "RALPH_HOME": str(tmp_path / "home/.ralph")}
        argv = [sys.executable, "-c", TAKEN, top if which == "the run" else part]
        with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True) as taker:
            assert taker.stdout.readline() == "taken\n"
            with pytest.raises(StateError, match="another process changed it first"):
                opened.write(*removal(tree))
            assert collect(opened, project, ALL_OVER, dry_run=False).runs == 0
            taker.kill()
    assert store.ids == {top, part}
    assert run_dir(project, top).exists()
    assert run_dir(project, part).exists()


def test_a_tree_that_got_a_child_since_it_was_chosen_stays(store, project):
    top = store.add(project)
    with store.open() as opened:
        [tree] = trees(opened)
        child = store.add(project, parent=top)
        with pytest.raises(StateError, match="another process changed it first"):
            opened.write(*removal(tree))
    assert store.ids == {top, child}


REFUSALS = {"another process changed it first": "RAISE(IGNORE)", "it cannot be written": "the_disk_is_full()"}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_the_files_come_back_if_the_removal_is_refused(store, project, refusal):
    run = store.add(project)
    with store.open() as opened:
        opened.write(Sql(f"CREATE TRIGGER no BEFORE DELETE ON runs BEGIN SELECT {REFUSALS[refusal]}; END"))
        if refusal == "it cannot be written":
            with pytest.raises(StateError, match="the_disk_is_full"):
                collect(opened, project, ALL_OVER, dry_run=False)
        else:
            assert collect(opened, project, ALL_OVER, dry_run=False) == Collected()
    assert store.ids == {run}
    assert (run_dir(project, run) / "iteration-1/stream.ndjson").exists()


def test_the_files_of_a_run_that_went_on_meanwhile_come_back_beside_its_new_ones(store, project):
    run = store.add(project)
    with run_files(str(project)) as files:
        files.put_aside(run)
        (run_dir(project, run) / "iteration-2").mkdir(parents=True)
        files.put_back(run)
    assert sorted(path.name for path in run_dir(project, run).iterdir()) == ["iteration-1", "iteration-2"]
    assert [path.name for path in (project / ".ralph/runs").iterdir()] == [run]


def test_what_is_in_the_way_of_a_directory_that_comes_back_is_told(store, project):
    run = store.add(project)
    with run_files(str(project)) as files:
        files.put_aside(run)
        run_dir(project, run).write_text("in the way")
        with pytest.raises(NotADirectoryError):
            files.put_back(run)
