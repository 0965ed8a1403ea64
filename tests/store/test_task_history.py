"""What completed tasks took and how people helped, in both databases."""

import json
import time

import pytest

from ralph.model.tasks import Spec, Task
from ralph.store.control import say
from ralph.store.interventions import edits_of_started, skipped_by_people, words_of_people
from ralph.store.projects import project_at
from ralph.store.runs import NewRun, add_run
from ralph.store.spec_base import base_of_run
from ralph.store.sql import Sql
from ralph.store.task_history import Taken, taken_by_tasks
from ralph.store.tasks import add_spec, add_tasks, set_status

NOW = time.time()


@pytest.fixture
def project(store, tmp_path):
    name = project_at(store, tmp_path).id
    tasks = [Task(id=each, spec_id="s", title=each, created_at=NOW, updated_at=NOW) for each in ("A", "B", "C")]
    store.write(add_spec(name, Spec(id="s", title="s", created_at=NOW, updated_at=NOW)), *add_tasks(name, tasks))
    for each in ("A", "B"):
        set_status(store, name, each, "completed")
    return name


def ran(store, project, run_id, task, recipe, label, iterations, usd=None, **options):
    new = NewRun(
        id=run_id, recipe=recipe, project=project, options=json.dumps(options).encode(), task_id=task, label=label
    )
    add_run(store, new)
    values = {"id": run_id, "iterations": iterations, "usd": usd}
    store.write(Sql("UPDATE runs SET iterations = :iterations, usd = :usd, seconds = 2.5 WHERE id = :id", values, 1))


def test_all_runs_of_a_completed_task_are_added_up(store, project):
    ran(store, project, "1", "A", "chunk", "A", 2, 0.5)
    ran(store, project, "2", "A", "chunk", "A", 1, 0.25)
    ran(store, project, "3", "B", "task", "B", 2)
    ran(store, project, "3.coder", "B", "stage", "B coder", 1)
    ran(store, project, "3.qa", "B", "stage", "B qa", 1)
    ran(store, project, "4", "C", "chunk", "C", 7)
    first, second = taken_by_tasks(store, project)
    assert first == Taken("A", "s", 3, 5.0, 0.75, is_pipeline=False, loops=1)
    assert second == Taken("B", "s", 2, 7.5, None, is_pipeline=True, loops=2)
    assert (first.shipped_at_first, second.shipped_at_first) == (False, True)


def test_words_of_people_are_counted_for_the_runs_that_are_meant(store, project, monkeypatch):
    ran(store, project, "1", "A", "chunk", "A", 1)
    ran(store, project, "2", "B", "chunk", "B", 1)
    for said in ("guide", "guide", "reject", "retry", "stop"):
        say(store, "1", said)
    say(store, "2", "guide")
    store.write(*edits_of_started(store, project, ["A", "C"]))
    monkeypatch.setenv("RALPH_RUN_ID", "1")
    say(store, "1", "guide")
    assert words_of_people(store, project, {"1"}) == {"guide": 2, "reject": 1, "retry": 1, "edit": 1}


def test_options_tell_what_was_left_out_and_where_the_branch_began(store, project):
    ran(store, project, "1", None, "spec", "s", 0, loop={"skipped": ["B", "C"], "final": {"base": "f00"}})
    ran(store, project, "2", None, "spec", "s", 0, loop={"tasks": [{"loop": {"base": "ba5e"}}]})
    ran(store, project, "3", "A", "chunk", "A", 0, loop={"base": "b0"})
    ran(store, project, "4", "A", "chunk", "A", 0)
    assert skipped_by_people(store, ["1", "2"]) == 2
    assert [base_of_run(store, each) for each in "1234"] == ["f00", "ba5e", "b0", ""]
