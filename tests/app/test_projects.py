"""Projects are listed, moved, renamed and forgotten; nothing of that touches a file."""

import asyncio

import pytest

from ralph.app.project_changes import edit_project, remove_project
from ralph.app.projects import add_project, list_projects, named_project, open_project
from ralph.app.tasks.listing import list_tasks
from ralph.app.tasks.tasks import import_tasks
from ralph.model.errors import ConfigError
from ralph.model.verdicts import Verified
from ralph.store.journal import Journal
from ralph.store.projects import find_project, project_at
from ralph.store.runs import get_run
from ralph.store.sqlite import SqliteStore
from task_shell import add_task_run, many


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def shop(store, tmp_path):
    """A project with two specs, a task in each, and a run."""
    path = tmp_path / "shop"
    path.mkdir()
    for spec in ("auth", "cart"):
        import_tasks(store, path, many((f"{spec}-1", {}), spec=spec), "file")
    (path / "file").write_text("x")
    run = add_task_run(store, "shop", "auth-1")
    Journal.take(store, run).close(Verified(1))
    return path, run


def edit(store, project, **changes):
    return asyncio.run(edit_project(store, project, **changes))


def test_a_project_is_registered_by_its_first_use_with_several_specs(store, shop):
    [seen] = list_projects(store)
    assert (seen.id, seen.path, seen.specs, seen.tasks, seen.runs) == ("shop", str(shop[0]), ("auth", "cart"), 2, 1)
    assert open_project(store, None, shop[0]) == open_project(store, "shop", shop[0].parent) == seen
    assert open_project(store, str(shop[0]), shop[0].parent) == seen


def test_a_directory_is_added_once(store, tmp_path):
    first, is_new = add_project(store, tmp_path, "My shop")
    assert (is_new, first.name) == (True, "My shop")
    again, is_new = add_project(store, tmp_path / "x" / "..", None)
    assert (is_new, again) == (False, first)


@pytest.mark.parametrize("name", ["", " ", "a\nb"])
def test_a_name_is_a_line(store, tmp_path, name):
    with pytest.raises(ConfigError, match="must be one line of text"):
        add_project(store, tmp_path, name)
    assert list(list_projects(store)) == []


def test_a_directory_that_moved_keeps_its_specs_and_runs(store, shop, tmp_path):
    path, run = shop
    moved = path.rename(tmp_path / "elsewhere")
    assert not next(list_projects(store)).is_there
    edited = edit(store, named_project(store, "shop", tmp_path), name=None, folder=moved)
    assert (edited.id, edited.path, edited.runs) == ("shop", str(moved), 1)
    assert [task.id for task in list_tasks(store, moved)] == ["auth-1", "cart-1"]
    assert find_project(store, path) is None
    assert get_run(store, run).project == "shop"


def test_a_directory_that_was_used_before_it_was_said_to_have_moved(store, shop, tmp_path):
    moved = shop[0].rename(tmp_path / "elsewhere")
    assert project_at(store, moved).id == "elsewhere"
    edit(store, named_project(store, "shop", tmp_path), name=None, folder=moved)
    assert [each.id for each in list_projects(store)] == ["shop"]


def test_a_directory_of_another_project_is_refused(store, shop, tmp_path):
    (tmp_path / "other").mkdir()
    import_tasks(store, tmp_path / "other", many(("A", {})), "file")
    with pytest.raises(ConfigError, match="is already the project other, which has its own specs or runs"):
        edit(store, named_project(store, "shop", tmp_path), name="x", folder=tmp_path / "other")
    assert open_project(store, "shop", tmp_path).name == "shop"


def test_a_project_at_work_neither_moves_nor_goes(store, shop, tmp_path):
    run = add_task_run(store, "shop", "auth-1")
    Journal.take(store, run)
    known = named_project(store, "shop", tmp_path)
    with pytest.raises(ConfigError, match=f"run {run} of shop is active"):
        edit(store, known, name=None, folder=tmp_path)
    with pytest.raises(ConfigError, match=f"run {run} of shop is active"):
        remove_project(store, known)
    assert open_project(store, "shop", tmp_path).runs == 2


def test_a_forgotten_project_keeps_its_files(store, shop, tmp_path):
    path, run = shop
    (path / f".ralph/runs/{run}").mkdir(parents=True)
    remove_project(store, named_project(store, "shop", tmp_path))
    assert list(list_projects(store)) == []
    assert get_run(store, run) is None
    assert store.read("SELECT id FROM tasks UNION SELECT id FROM specs UNION SELECT run_id FROM journal") == []
    assert (path / "file").exists()
    assert (path / f".ralph/runs/{run}").exists()


def test_what_nobody_knows_is_told(store, tmp_path):
    with pytest.raises(ConfigError, match=r"there is no project 'nobody'\. See the list: ralph project list"):
        named_project(store, "nobody", tmp_path)
    with pytest.raises(ConfigError, match=r"is not a project yet\. Add it: ralph project add"):
        named_project(store, None, tmp_path)
    with pytest.raises(ConfigError, match="is not a directory"):
        add_project(store, tmp_path / "gone", None)
