import os
import sys

import pytest

from loops import waits
from ralph.proc.identity import started
from ralph.testing import done
from stored_runs import DAY, StoredRuns, run_dir

LONG = "A prompt too long for the journal's own table. " * 200


@pytest.fixture
def store(loop):
    return StoredRuns(loop.repo.home / ".ralph")


@pytest.fixture
def project(loop):
    return loop.repo.path


def gc(loop, *args):
    ended = loop.ralph("runs", "gc", *args)
    assert ended.code == 0, ended.err
    return ended.out


def test_the_newest_are_kept(loop, store, project):
    old, middle, new = (store.add(project, age=age) for age in (300, 200, 100))
    assert gc(loop, "--keep", "1") == "Removed 2 runs and 2.0 KB of files.\n"
    assert store.ids == {new}
    assert run_dir(project, new).exists()
    assert not run_dir(project, old).exists()
    assert not run_dir(project, middle).exists()


def test_keep_0_removes_all_that_ended(loop, store, project):
    store.add(project)
    gc(loop, "--keep", "0")
    assert store.ids == set()


def test_what_was_last_active_longer_ago_goes(loop, store, project):
    store.add(project, age=31 * DAY)
    young = store.add(project, age=29 * DAY)
    begun_long_ago = store.add(project, age=29 * DAY, started_at=0.0)
    assert "Removed 1 run " in gc(loop, "--older-than", "30d")
    assert store.ids == {young, begun_long_ago}


def test_an_interrupted_run_is_as_old_as_the_last_thing_it_did(loop, store, project):
    """It has no end, and its journal was written a moment ago."""
    store.add(project, status="interrupted", started_at=0.0, ended_at=None)
    assert "Removed 0 runs" in gc(loop, "--older-than", "1d", "--interrupted")
    assert "Removed 1 run " in gc(loop, "--older-than", "0", "--interrupted")


def test_a_project_is_another_ones_only_with_all(loop, store, project, tmp_path):
    here = [store.add(project, age=age) for age in (200, 100)]
    elsewhere = [store.add(tmp_path / "other", age=age) for age in (400, 300)]
    gc(loop, "--keep", "1")
    assert store.ids == {here[1], *elsewhere}
    gc(loop, "--keep", "1", "--all")
    assert store.ids == {here[1], elsewhere[1]}, "one is kept in each project"


@pytest.mark.parametrize("status", ["running", "waiting", "paused", "queued", "stopped"])
def test_what_may_go_on_stays(loop, store, project, status):
    run = store.add(project, status=status, pid=os.getpid(), pid_started=started())
    assert "Removed 0 runs" in gc(loop, "--keep", "0", "--interrupted")
    assert store.ids == {run}
    assert run_dir(project, run).exists()


@pytest.mark.parametrize("status", ["interrupted", "running"], ids=["stopped by a person", "died without a word"])
def test_what_was_interrupted_goes_only_if_that_is_asked_for(loop, store, project, status):
    store.add(project, status=status, verdict=None, pid_started=1.0)
    assert "Removed 0 runs" in gc(loop, "--keep", "0")
    assert "Removed 1 run " in gc(loop, "--keep", "0", "--interrupted")


def test_trees_go_as_a_whole(loop, store, project, tmp_path):
    top = store.add(project, age=300)
    child = store.add(tmp_path / "other", parent=top, age=200)
    store.add(project, parent=child, age=100)
    newest = store.add(project)
    assert "Removed 3 runs and 3.0 KB" in gc(loop, "--keep", "1")
    assert store.ids == {newest}
    assert list((tmp_path / "other/.ralph/runs").iterdir()) == []


def test_a_child_that_lives_keeps_its_whole_tree(loop, store, project, tmp_path):
    top = store.add(project, age=300)
    child = store.add(tmp_path / "other", parent=top, status="running", pid_started=started(), pid=os.getpid())
    gc(loop, "--keep", "0", "--interrupted")
    assert store.ids == {top, child}
    assert run_dir(project, top).exists()


def test_a_child_does_not_go_without_its_parent_of_another_project(loop, store, project, tmp_path):
    top = store.add(tmp_path / "other")
    child = store.add(project, parent=top, age=DAY)
    gc(loop, "--keep", "0")
    assert store.ids == {top, child}


def test_journal_marks_and_blobs_go_but_not_a_blob_that_another_run_needs(loop, store, project):
    store.add(project, prompt=f"{LONG} one", age=200)
    shared = [store.add(project, prompt=LONG, age=age) for age in (100, 0)]
    before = store.count("blobs")
    gc(loop, "--keep", "1")
    assert store.count("journal") == 2
    assert store.count("stream_marks") == 1
    assert store.count("blobs") == before // 2
    assert store.results(shared[1])[0] == LONG
    gc(loop, "--keep", "0")
    assert (store.count("journal"), store.count("stream_marks"), store.count("blobs")) == (0, 0, 0)


def test_a_dry_run_says_the_same_and_changes_nothing(loop, store, project):
    runs = {store.add(project, age=age) for age in (200, 100)}
    assert gc(loop, "--keep", "0", "--dry-run") == "Would remove 2 runs and 2.0 KB of files.\n"
    assert store.ids == runs
    assert {path.name for path in (project / ".ralph/runs").iterdir()} == runs


def test_a_missing_project_is_no_problem(loop, store, tmp_path):
    store.add(tmp_path / "gone")
    (tmp_path / "gone").rename(tmp_path / "moved")
    assert gc(loop, "--keep", "0", "--all") == "Removed 1 run and 0 bytes of files.\n"


def test_a_link_in_the_place_of_a_run_is_removed_and_its_target_is_not(loop, store, project, tmp_path):
    run = store.add(project)
    target = tmp_path / "precious"
    run_dir(project, run).rename(target)
    run_dir(project, run).symlink_to(target)
    assert gc(loop, "--keep", "0") == "Removed 1 run and 0 bytes of files.\n"
    assert (target / "iteration-1/stream.ndjson").exists()
    assert list((project / ".ralph/runs").iterdir()) == []


def test_links_inside_of_a_run_are_not_followed(loop, store, project, tmp_path):
    run = store.add(project)
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious/file").write_text("precious" * 1000)
    (run_dir(project, run) / "link").symlink_to(tmp_path / "precious")
    gc(loop, "--keep", "0")
    assert (tmp_path / "precious/file").exists()


@pytest.mark.parametrize("link", [".ralph", ".ralph/runs"])
def test_a_link_in_the_place_of_the_folder_keeps_the_runs_and_is_named(loop, store, project, tmp_path, link):
    run = store.add(project)
    (project / link).rename(tmp_path / "elsewhere")
    (project / link).symlink_to(tmp_path / "elsewhere")
    ended = loop.ralph("runs", "gc", "--keep", "0")
    assert ended.code == 9
    assert f"run {run} stays" in ended.err
    assert "Removed 0 runs" in ended.out
    assert store.ids == {run}


def test_what_a_killed_removal_left_behind_goes_with_the_next(loop, store, project):
    store.add(project)
    left = project / ".ralph/runs/.removed-0123abcd/iteration-1"
    left.mkdir(parents=True)
    gc(loop, "--keep", "5")
    assert not left.parent.exists()


def test_a_folder_that_cannot_be_written_keeps_its_run(loop, store, project):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    run = store.add(project)
    (project / ".ralph/runs").chmod(0o500)
    try:
        ended = loop.ralph("runs", "gc", "--keep", "0")
    finally:
        (project / ".ralph/runs").chmod(0o700)
    assert ended.code == 9
    assert store.ids == {run}


def test_a_running_loop_goes_on_undisturbed(loop, store, project):
    old = store.add(project, age=DAY)
    loop.prepare({"run": waits()} | done())
    with loop.start() as running:
        running.wait_for("ready")
        assert "Removed 1 run " in gc(loop, "--keep", "0", "--interrupted")
        loop.repo.write("go", "")
        assert running.end().code == 0
    assert loop.show()["verdict"] == "verified"
    assert old not in store.ids


RESUMED_MEANWHILE = """
import sys
from ralph.app import gc
from ralph.store.database import connect
from ralph.store.run_gc import trees
from ralph.store.runs import find_run, take_over
connection = connect()
(tree,) = trees(connection)
take_over(connection, find_run(connection, tree.root.id))
sys.exit(gc._remove(connection, tree, gc.Wanted(keep=0, interrupted=True)))
"""


def test_a_run_that_was_resumed_since_it_was_chosen_stays(loop, store, project):
    run = store.add(project, status="interrupted")
    assert loop.repo.run(sys.executable, "-c", RESUMED_MEANWHILE).returncode == 0
    assert store.ids == {run}
    assert run_dir(project, run).exists()


UNWRITABLE = """
import sys
from ralph.app import gc
from ralph.store.database import connect
from ralph.store.run_gc import trees
connection = connect()
connection.exec_driver_sql("CREATE TRIGGER no BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
gc._remove(connection, trees(connection)[0], gc.Wanted(keep=0))
"""


def test_the_files_come_back_if_the_database_cannot_be_written(loop, store, project):
    run = store.add(project)
    ended = loop.repo.run(sys.executable, "-c", UNWRITABLE)
    assert "StateError" in ended.stderr
    assert store.ids == {run}
    assert (run_dir(project, run) / "iteration-1/stream.ndjson").exists()
