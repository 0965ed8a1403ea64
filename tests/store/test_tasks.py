import os
import sqlite3
from contextlib import closing

import msgspec
import pytest

from ralph.model.errors import ConfigError, StateError
from ralph.model.tasks import CompletionCriteria, Spec, Task, TaskCompletionSpec
from ralph.store import schema
from ralph.store.database import transaction
from ralph.store.tasks import (
    delete_spec,
    delete_tasks,
    find_spec,
    get_spec,
    get_task,
    put_spec,
    put_tasks,
    runs_under_way,
    set_status,
    specs_of,
    tasks_of,
)
from stores import PROJECT, new_run, opened

ELSEWHERE = "/elsewhere"
SPEC = Spec(id="auth", title="Auth", created_at=1.0, updated_at=1.0)
TASK = Task(
    id="TASK-001",
    spec_id="auth",
    title="Tokens ✓",
    description="One.\nTwo.\n",
    priority=-3,
    dependencies=("B", "A"),
    assignee="me",
    created_at=1.5,
    updated_at=2.5,
    metadata={"a": [1, {"b": None}]},
    completion_spec=TaskCompletionSpec(
        "It is so.", ("a", "b"), {"coder": CompletionCriteria("P", "D", "external", {"command": "true"}, 3)}
    ),
)


def plain(name, **changes):
    return Task(**{"id": name, "spec_id": "auth", "title": name, "created_at": 0.0, "updated_at": 0.0, **changes})


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as connection:
        with transaction(connection):
            put_spec(connection, PROJECT, SPEC)
        yield connection


def put(store, *tasks, project=PROJECT):
    with transaction(store):
        put_tasks(store, project, tasks)


def test_task_comes_back_as_it_was(store):
    put(store, TASK, plain("bare"))
    assert get_task(store, PROJECT, "TASK-001") == TASK
    assert get_task(store, PROJECT, "bare") == plain("bare")
    assert get_spec(store, PROJECT, "auth") == SPEC


def test_completion_is_kept_in_the_shape_of_files(store, tmp_path):
    put(store, TASK)
    with closing(sqlite3.connect(tmp_path / "ralph.db")) as database:
        (text,) = database.execute("SELECT completion_spec FROM tasks").fetchone()
    data = msgspec.json.decode(text)
    assert list(data) == ["outcome", "acceptance_criteria", "coder"]
    assert data["coder"]["verification_config"] == {"command": "true"}


def test_tasks_are_listed_by_id_and_by_spec(store):
    with transaction(store):
        put_spec(store, PROJECT, Spec(id="other", title="", created_at=0.0, updated_at=0.0))
    put(store, plain("b"), plain("a"), plain("c", spec_id="other"))
    assert [task.id for task in tasks_of(store, PROJECT)] == ["a", "b", "c"]
    assert [task.id for task in tasks_of(store, PROJECT, "other")] == ["c"]
    assert [spec.id for spec in specs_of(store, PROJECT)] == ["auth", "other"]


def test_projects_do_not_see_each_other(store):
    with transaction(store):
        put_spec(store, ELSEWHERE, SPEC)
    put(store, plain("a", title="here"))
    put(store, plain("a", title="there"), project=ELSEWHERE)
    assert get_task(store, PROJECT, "a").title == "here"
    assert get_task(store, ELSEWHERE, "a").title == "there"
    with transaction(store):
        delete_tasks(store, ELSEWHERE, ["a"])
        delete_spec(store, ELSEWHERE, "auth")
    assert tasks_of(store, ELSEWHERE) == specs_of(store, ELSEWHERE) == []
    assert len(tasks_of(store, PROJECT)) == len(specs_of(store, PROJECT)) == 1


def test_what_has_the_same_id_is_written_over(store):
    put(store, TASK)
    put(store, plain("TASK-001"))
    assert tasks_of(store, PROJECT) == [plain("TASK-001")]


def test_several_are_written_together_or_not_at_all(store):
    with pytest.raises(StateError, match="FOREIGN KEY"):
        put(store, plain("a"), plain("b", spec_id="nowhere"))
    assert tasks_of(store, PROJECT) == []


def test_unknown_ones_are_told(store):
    for name in ("x", "x" * 1000, "\udcff", "é", ""):
        with pytest.raises(ConfigError, match="there is no task"):
            get_task(store, PROJECT, name)
        with pytest.raises(ConfigError, match="there is no spec"):
            get_spec(store, PROJECT, name)
        assert find_spec(store, PROJECT, name) is None


def test_status_changes_and_nothing_else(store):
    put(store, TASK)
    set_status(store, PROJECT, "TASK-001", "running")
    set_status(store, PROJECT, "TASK-001", "failed", iteration=4)
    now = get_task(store, PROJECT, "TASK-001")
    assert now.updated_at > TASK.updated_at
    assert msgspec.structs.replace(now, updated_at=TASK.updated_at) == msgspec.structs.replace(
        TASK, status="failed", iteration=4
    )
    set_status(store, PROJECT, "TASK-001", "completed")
    assert get_task(store, PROJECT, "TASK-001").iteration == 4


def test_status_of_a_task_that_is_gone(store):
    with pytest.raises(ConfigError, match="task a is gone"):
        set_status(store, PROJECT, "a", "running")


def test_tasks_are_under_way_while_a_run_of_theirs_lives(store):
    live = new_run(store, task="a")
    dead = new_run(store, task="b")
    ended = new_run(store, task="c")
    new_run(store)
    new_run(store, task="d", project=ELSEWHERE)
    with transaction(store):
        runs = schema.runs
        store.execute(runs.update().where(runs.c.id == dead.id).values(pid=os.getpid(), pid_started=1.0))
        store.execute(runs.update().where(runs.c.id == ended.id).values(status="ended"))
    assert runs_under_way(store, PROJECT) == {"a": live.id}
