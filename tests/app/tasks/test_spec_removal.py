"""A spec goes with all that was made of it, but for its text and its branch."""

import asyncio
import os

import pytest

from ralph.app.tasks.spec_removal import plan_removal, remove
from ralph.app.tasks.specs import create_spec
from ralph.app.tasks.tasks import import_tasks
from ralph.model.errors import ConfigError, StateError
from ralph.model.verdicts import Verified
from ralph.store.journal import Journal
from ralph.store.projects import known_project
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import find_spec, tasks_of
from ralph.testing import temp_repo
from task_shell import add_stage, add_task_run, many


@pytest.fixture
def repo(tmp_path, monkeypatch):
    made = temp_repo(tmp_path)
    for name, value in made.env.items():
        monkeypatch.setitem(os.environ, name, value)
    return made


@pytest.fixture
def store(repo):
    with SqliteStore(repo.home / ".ralph") as opened:
        yield opened


@pytest.fixture
def worked(store, repo):
    """Two specs that have been worked on, with files and refs; the runs of each."""
    return {spec: work_on(store, repo, spec) for spec in ("auth", "cart")}


def work_on(store, repo, spec):
    create_spec(store, repo.path, spec, None, f"# {spec}\n")
    import_tasks(store, repo.path, many((f"{spec}-1", {}), spec=spec), "file")
    project = known_project(store, repo.path)
    whole = add_task_run(store, project, None, recipe="spec", label=spec)
    part = add_task_run(store, project, f"{spec}-1", id=f"{whole}.{spec}-1", is_part=True)
    alone = add_task_run(store, project, f"{spec}-1")
    stage = add_stage(store, project, f"{spec}-1", "coder", alone)
    for run in (whole, part, alone, stage):
        Journal.take(store, run).close(Verified(1))
        repo.write(f".ralph/runs/{run}/iteration-1/stream.ndjson", "{}")
        repo.git("update-ref", f"refs/ralph/discarded/{run}/{spec}-1/1", "HEAD")
    repo.write(f".ralph/specs/{spec}/iterations/{spec}-1/iteration-1/context.md", "Do it.")
    repo.write(f".ralph/specs/{spec}/codebase-analysis.json", "{}")
    repo.git("branch", f"ralph/{spec}")
    return {whole, part, alone, stage}


def removed(store, repo, spec, *, with_tasks=True):
    async def both():
        plan = await plan_removal(store, repo.path, spec, with_tasks=with_tasks)
        return plan, await remove(store, repo.path, plan, with_tasks=with_tasks)

    return asyncio.run(both())


def names(repo, folder):
    return sorted(each.name for each in (repo.path / ".ralph" / folder).iterdir())


def left(store, repo):
    runs = {row["id"] for row in store.read("SELECT id FROM runs")}
    refs = {ref.split("/")[3] for ref in repo.git("for-each-ref", "--format=%(refname)", "refs/ralph/").split()}
    return runs, refs


def test_runs_iterations_state_and_discarded_attempts_go_with_a_spec(store, repo, worked):
    plan, problems = removed(store, repo, "auth")
    assert problems == ()
    assert (plan.tasks, plan.runs, len(plan.refs)) == (("auth-1",), 4, 4)
    name = known_project(store, repo.path)
    assert find_spec(store, name, "auth") is None
    assert [task.id for task in tasks_of(store, name)] == ["cart-1"]
    assert left(store, repo) == (worked["cart"], worked["cart"])
    assert set(names(repo, "runs")) == worked["cart"]
    assert names(repo, "specs/auth") == ["spec.md"]
    assert names(repo, "specs/cart") == ["codebase-analysis.json", "iterations", "spec.md"]
    assert "ralph/auth" in repo.git("branch", "--list", "ralph/*")


def test_what_stands_in_the_way_is_told_before_anything_is_touched(store, repo, worked):
    with pytest.raises(ConfigError, match="spec auth has tasks: auth-1"):
        removed(store, repo, "auth", with_tasks=False)
    import_tasks(store, repo.path, many(("T", {"dependencies": ["auth-1"]}), spec="cart"), "file")
    with pytest.raises(ConfigError, match="T depends on task auth-1"):
        removed(store, repo, "auth")
    assert left(store, repo)[0] == worked["auth"] | worked["cart"]
    assert len(names(repo, "runs")) == 8


def test_spec_at_work_stays(store, repo, worked):
    run = add_task_run(store, known_project(store, repo.path), None, recipe="spec", label="auth")
    Journal.take(store, run)
    with pytest.raises(ConfigError, match=f"run {run} of spec auth is active. Stop it: ralph cancel {run}"):
        removed(store, repo, "auth")
    assert left(store, repo)[0] == worked["auth"] | worked["cart"] | {run}


def test_link_in_the_place_of_the_folder_is_not_followed(store, repo, worked, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious/file").write_text("x")
    folder = repo.path / ".ralph/specs/auth"
    folder.rename(tmp_path / "away")
    folder.symlink_to(tmp_path / "precious")
    with pytest.raises((ConfigError, StateError), match="cannot write"):
        removed(store, repo, "auth")
    assert (tmp_path / "precious/file").exists()
    assert find_spec(store, known_project(store, repo.path), "auth") is not None


def test_directory_without_git_has_no_attempts(store, tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    create_spec(store, plain, "auth", None, None)
    plan, _ = removed_at(store, plain)
    assert plan.refs == ()
    assert find_spec(store, known_project(store, plain), "auth") is None


def removed_at(store, project):
    async def both():
        plan = await plan_removal(store, project, "auth", with_tasks=False)
        return plan, await remove(store, project, plan, with_tasks=False)

    return asyncio.run(both())
