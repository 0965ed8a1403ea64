"""`ralph task depend`: dependencies added and removed, and what is refused."""

import pytest

from ralph.app.tasks.dependencies import change_dependencies
from ralph.app.tasks.listing import find_task
from ralph.app.tasks.tasks import import_tasks
from ralph.model.errors import ConfigError
from ralph.store.journal import Journal
from ralph.store.projects import project_at
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import set_status
from task_shell import add_task_run, many


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def project(store, tmp_path):
    path = tmp_path / "project"
    path.mkdir()
    import_tasks(store, path, many(*((name, {}) for name in ("TASK-1", "TASK-2", "TASK-3", "TASK-4"))), "them")
    return path


def refused(store, project, name, **how):
    with pytest.raises(ConfigError) as error:
        change_dependencies(store, project, name, **how)
    return str(error.value)


def dependencies(store, project, name):
    return find_task(store, project, name).dependencies


def test_dependencies_are_added_and_removed_and_all_else_stays(store, project):
    set_status(store, project_at(store, project).id, "TASK-3", "failed", 4, "no luck")
    before = find_task(store, project, "TASK-3")
    changed = change_dependencies(store, project, "TASK-3", on=["TASK-1", "TASK-2", "TASK-1"])
    assert (changed.dependencies, changed.added) == (("TASK-1", "TASK-2"), ("TASK-1", "TASK-2"))
    changed = change_dependencies(store, project, "TASK-3", on=["TASK-4"], not_on=["TASK-1"])
    assert (changed.dependencies, changed.removed) == (("TASK-2", "TASK-4"), ("TASK-1",))
    after = find_task(store, project, "TASK-3")
    assert after.dependencies == ("TASK-2", "TASK-4")
    assert (after.status, after.iteration, after.error) == ("failed", 4, "no luck")
    assert (after.completion_spec, after.created_at) == (before.completion_spec, before.created_at)
    assert after.updated_at > before.updated_at


def test_what_is_there_already_changes_nothing(store, project):
    change_dependencies(store, project, "TASK-2", on=["TASK-1"])
    before = find_task(store, project, "TASK-2")
    assert change_dependencies(store, project, "TASK-2", on=["TASK-1"]).added == ()
    assert find_task(store, project, "TASK-2") == before


def test_a_cycle_is_refused_and_named_in_full(store, project):
    change_dependencies(store, project, "TASK-2", on=["TASK-1"])
    change_dependencies(store, project, "TASK-3", on=["TASK-2"])
    told = refused(store, project, "TASK-1", on=["TASK-3"])
    assert "these tasks wait for each other: TASK-1 -> TASK-3 -> TASK-2 -> TASK-1." in told
    assert "task TASK-1 depends on itself" in refused(store, project, "TASK-1", on=["TASK-1"])
    assert dependencies(store, project, "TASK-1") == ()


def test_one_change_that_is_refused_leaves_the_others_out(store, project):
    change_dependencies(store, project, "TASK-2", on=["TASK-1"])
    refused(store, project, "TASK-1", on=["TASK-4", "TASK-2"])
    assert dependencies(store, project, "TASK-1") == ()


@pytest.mark.parametrize(
    ("name", "how"),
    [("TASK1", {"on": ["TASK-2"]}), ("TASK-2", {"on": ["task-1"]}), ("TASK-2", {"not_on": ["TASKK-1"]})],
)
def test_an_unknown_id_is_answered_with_the_nearest_one(store, project, name, how):
    assert "Did you mean TASK-1?" in refused(store, project, name, **how)


def test_an_id_like_no_other_gets_no_guess(store, project):
    told = refused(store, project, "TASK-2", on=["\x1b[31mzebra"])
    assert told == r"there is no task '\x1b[31mzebra' in this project. See them: ralph task list"


def test_a_dependency_that_is_not_there_cannot_be_removed(store, project):
    assert refused(store, project, "TASK-2", not_on=["TASK-1"]) == (
        "task TASK-2 does not depend on TASK-1. It depends on no task."
    )
    change_dependencies(store, project, "TASK-2", on=["TASK-3"])
    assert refused(store, project, "TASK-2", not_on=["TASK-1"]).endswith("It depends on TASK-3.")


def test_the_same_task_on_both_sides_is_refused(store, project):
    assert "named by both --on and --not-on" in refused(store, project, "TASK-2", on=["TASK-1"], not_on=["TASK-1"])


def test_a_task_that_runs_is_left_alone(store, project):
    run = add_task_run(store, project_at(store, project).id, "TASK-2")
    Journal.take(store, run)
    assert f"task TASK-2 is running (run {run})" in refused(store, project, "TASK-2", on=["TASK-1"])


def test_a_directory_without_tasks_has_none(store, tmp_path):
    assert "there is no task 'TASK-1'" in refused(store, tmp_path, "TASK-1", on=["TASK-2"])
