"""The execution plan of a spec before it runs."""

import pytest

from ralph.app.tasks.preview import preview
from ralph.app.tasks.tasks import import_tasks
from ralph.store.projects import project_at
from ralph.store.sql import Sql
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import set_status
from task_shell import add_task_run, many

DIAMOND = (
    ("A", {}),
    ("B", {"dependencies": ["A"]}),
    ("C", {"dependencies": ["A"]}),
    ("D", {"dependencies": ["B", "C"]}),
)


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def project(store, tmp_path):
    import_tasks(store, tmp_path, many(*DIAMOND, spec="shop"), "them")
    return tmp_path


def took(store, project, task, iterations, seconds, usd, **changes):
    """A completed task with a run that took so much."""
    name = project_at(store, project).id
    run = add_task_run(store, name, task, **{"recipe": "chunk", **changes})
    values = {"id": run, "iterations": iterations, "seconds": seconds, "usd": usd}
    text = (
        "UPDATE runs SET iterations = :iterations, seconds = :seconds, usd = :usd, verdict = 'verified' WHERE id = :id"
    )
    store.write(Sql(text, values, must=1))
    set_status(store, name, task, "completed")


def ids(plan):
    return [[task.id for task in wave] for wave in plan.waves]


def test_waves_and_critical_path_without_history(store, project):
    plan = preview(store, project, "shop")
    assert ids(plan) == [["A"], ["B", "C"], ["D"]]
    assert plan.critical_path == ["A", "B", "D"]
    assert (plan.total, plan.shortest_seconds, plan.completed) == (None, None, 0)
    assert {(task.estimate, task.source, task.samples) for wave in plan.waves for task in wave} == {(None, None, 0)}


def test_completed_tasks_of_the_spec_are_the_estimate(store, project):
    took(store, project, "A", 2, 60.0, 0.5)
    plan = preview(store, project, "shop", workers=2)
    assert (ids(plan), plan.completed) == ([["B", "C"], ["D"]], 1)
    assert (plan.total.iterations, plan.total.seconds, plan.total.cost_usd) == (6, 120.0, 1.5)
    assert plan.shortest_seconds == 120.0
    assert preview(store, project, "shop").total.seconds == 180.0
    assert (plan.waves[0][0].source, plan.waves[0][0].samples) == ("spec", 1)


def test_another_spec_of_the_project_helps_where_this_one_has_no_history(store, project):
    import_tasks(store, project, many(("X", {}), ("Y", {}), spec="other"), "them")
    took(store, project, "X", 1, 10.0, 0.1)
    took(store, project, "Y", 3, 30.0, None)
    plan = preview(store, project, "shop")
    assert plan.waves[0][0].source == "project"
    assert plan.waves[0][0].samples == 2
    assert (plan.total.iterations, plan.total.seconds, plan.total.cost_usd) == (8, 80.0, 0.4)


def test_a_cost_that_nobody_reported_is_unknown(store, project):
    took(store, project, "A", 1, 10.0, None)
    assert preview(store, project, "shop").total.cost_usd is None


def test_what_was_read_from_files_is_no_history(store, project):
    took(store, project, "A", 1, 10.0, 1.0)
    store.write(Sql("UPDATE runs SET verdict = 'imported'", {}))
    assert preview(store, project, "shop").total is None


def test_a_task_that_waits_for_another_spec_is_named(store, project):
    import_tasks(store, project, many(("LIB", {}), spec="base"), "them")
    import_tasks(store, project, many(("E", {"dependencies": ["LIB"]}), spec="shop"), "them")
    assert [(each.id, each.on, each.spec_id) for each in preview(store, project, "shop").waiting] == [
        ("E", "LIB", "base")
    ]
