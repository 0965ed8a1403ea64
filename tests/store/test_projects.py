"""Projects have ids: found by host and path, else by their remote."""

from pathlib import Path

import pytest

from ralph.model.errors import ConfigError
from ralph.store.owner import host
from ralph.store.projects import (
    find_project,
    folder_of,
    get_project,
    located,
    project_at,
    projects_by_id,
    resolved,
    without_credentials,
)
from ralph.store.sql import Sql
from stores import count

FINDS_WHEN_TOLD = """
import sys
from pathlib import Path
from ralph.store.open import open_store
from ralph.store.projects import project_at
with open_store() as store:
    print("ready", flush=True)
    sys.stdin.readline()
    print(project_at(store, Path(sys.argv[1])).id, flush=True)
"""
REMOTE = "https://example.org/team/shop.git"


def folder(path, remote=""):
    (path / ".git").mkdir(parents=True)
    section = f'[remote "origin"]\n\turl = {remote}\n\tfetch = +refs/heads/*\n' if remote else ""
    (path / ".git/config").write_text(f'[core]\n\tbare = false\n{section}[branch "main"]\n\tremote = origin\n')
    return path


def move_to(store, project_id, other):
    """The project lies on another machine only."""
    store.write(Sql("UPDATE project_places SET host = :host WHERE project_id = :id", {"host": other, "id": project_id}))


def test_a_project_is_added_once_and_found_by_its_path(store, another, tmp_path):
    path = folder(tmp_path / "My Shop", REMOTE)
    assert find_project(store, path) is None
    project = project_at(store, path)
    assert (project.id, project.name, project.remote, project.path) == ("my-shop", "My Shop", REMOTE, str(path))
    assert project_at(another, path) == find_project(another, path) == get_project(another, "my-shop") == project
    assert folder_of(another, "my-shop") == path
    assert projects_by_id(another) == {"my-shop": project}


def test_projects_of_one_name_get_numbers(store, tmp_path):
    made = [project_at(store, tmp_path / place / "shop").id for place in "abc"]
    assert made == ["shop", "shop-2", "shop-3"]


@pytest.mark.parametrize(
    ("name", "project_id"),
    [("Ünïcode", "n-code"), ("...", "project"), ("a" * 60, "a" * 40), ("x_%y", "x-y"), ("v1.2", "v1-2")],
)
def test_an_id_is_short_and_plain(store, tmp_path, name, project_id):
    assert project_at(store, tmp_path / name).id == project_id


def test_a_clone_of_a_project_that_is_not_on_this_machine_is_that_project(store, tmp_path):
    project = project_at(store, folder(tmp_path / "shop", REMOTE))
    move_to(store, project.id, "another")
    assert get_project(store, project.id).path == ""
    with pytest.raises(ConfigError, match="the project shop is not on this machine"):
        folder_of(store, project.id)
    clone = project_at(store, folder(tmp_path / "clone", REMOTE))
    assert (clone.id, clone.path) == (project.id, str(tmp_path / "clone"))


def test_a_second_clone_on_this_machine_is_a_project_of_its_own(store, tmp_path):
    first = project_at(store, folder(tmp_path / "a/shop", REMOTE))
    second = project_at(store, folder(tmp_path / "b/shop", REMOTE))
    assert (first.id, second.id) == ("shop", "shop-2")


def test_a_remote_that_several_projects_have_decides_nothing(store, tmp_path):
    for place in "ab":
        move_to(store, project_at(store, folder(tmp_path / place / "shop", REMOTE)).id, "another")
    assert count(store, "projects") == 1
    store.write(
        Sql(
            "INSERT INTO projects (id, name, remote, created_at) VALUES ('twin', 'twin', :remote, 0)",
            {"remote": REMOTE},
        ),
        Sql("DELETE FROM project_places"),
    )
    assert project_at(store, folder(tmp_path / "c/shop", REMOTE)).id == "shop-2"


def test_projects_without_a_remote_are_never_taken_for_one_another(store, tmp_path):
    first = project_at(store, folder(tmp_path / "a/shop"))
    move_to(store, first.id, "another")
    assert project_at(store, folder(tmp_path / "b/shop")).id == "shop-2"


def test_a_folder_in_a_repository_is_not_the_repository(store, tmp_path):
    whole = project_at(store, folder(tmp_path / "shop", REMOTE))
    (tmp_path / "shop/web").mkdir()
    inside = project_at(store, tmp_path / "shop/web")
    assert (whole.remote, inside.remote) == (REMOTE, f"{REMOTE}#web")


def test_a_password_in_a_remote_is_not_stored(store, tmp_path):
    project = project_at(store, folder(tmp_path / "shop", "https://ada:hunter2@example.org/shop.git"))
    assert project.remote == "https://example.org/shop.git"


@pytest.mark.parametrize("address", ["git@example.org:team/shop.git", "/srv/git/shop.git", "../shop", ""])
def test_an_address_without_a_password_stays_as_it_is(address):
    assert without_credentials(address) == address


def test_processes_that_meet_a_project_at_once_agree_on_its_id(database, store, tmp_path):
    processes = [database.start(FINDS_WHEN_TOLD, tmp_path / "shop") for _ in range(4)]
    processes += [database.start(FINDS_WHEN_TOLD, tmp_path / "b/shop")]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    found = [process.communicate(timeout=60)[0].strip() for process in processes]
    assert len(set(found[:4])) == 1
    assert {found[0], found[4]} == {"shop", "shop-2"}
    assert count(store, "projects") == 2


def test_a_path_inside_the_project_is_stored_by_its_place_there():
    project = Path("/work/shop")
    for given, stored in (("a/b", "a/b"), ("/work/shop/a", "a"), ("a/../b", "b"), (".", ".")):
        assert (located(project, Path(given)).path, located(project, Path(given)).host) == (stored, "")
    assert resolved(Path("/moved"), located(project, Path("a"))) == Path("/moved/a")


def test_a_path_outside_is_stored_with_its_host_and_refused_on_another():
    project = Path("/work/shop")
    outside = located(project, Path("../other/file"))
    assert (outside.path, outside.host) == ("/work/other/file", host())
    assert resolved(Path("/moved"), outside) == Path("/work/other/file")
    with pytest.raises(ConfigError, match="/work/other/file is on elsewhere, and this is"):
        resolved(project, type(outside)(outside.path, "elsewhere"))
