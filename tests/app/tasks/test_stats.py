"""The interventions of people in the work on a spec, each kind of them."""

import asyncio
import json

import pytest

from pull_request_scene import PullRequestScene
from ralph.app.runs.starting import again
from ralph.app.tasks.dependencies import change_dependencies
from ralph.app.tasks.stats import spec_stats
from ralph.app.tasks.tasks import import_tasks
from ralph.loop.plan import new_run
from ralph.store.control import say
from ralph.store.projects import project_at
from ralph.store.runs import NewRun, add_run
from task_shell import add_task_run, many


@pytest.fixture
def scene(tmp_path, monkeypatch):
    scene = PullRequestScene(tmp_path, monkeypatch)
    scene.tasks(("T-2", {}), ("X-1", {}), spec="s")
    return scene


@pytest.fixture
def store(scene):
    with scene.store() as opened:
        yield opened


def started(store, scene, task="T-1"):
    options = json.dumps({"loop": {"base": scene.repo.git("rev-parse", "main").strip()}}).encode()
    return add_task_run(store, project_at(store, scene.repo.path).id, task, recipe="chunk", label=task, options=options)


def interventions(store, scene):
    return asyncio.run(spec_stats(store, scene.repo.path, "s")).interventions


def test_guidance_and_rejections_of_people_count_and_those_of_agents_do_not(store, scene, monkeypatch):
    run = started(store, scene)
    say(store, run, "guide", "mind the cart")
    say(store, run, "reject", "not yet")
    say(store, run, "go")
    other = add_task_run(store, project_at(store, scene.repo.path).id, None)
    say(store, other, "guide", "of another run")
    monkeypatch.setenv("RALPH_RUN_ID", run)
    say(store, run, "guide", "by an agent")
    found = interventions(store, scene)
    assert (found.guide, found.reject, found.total) == (1, 1, 2)


def test_an_edit_counts_once_the_task_was_started_and_only_if_it_changes_something(store, scene):
    path = scene.repo.path
    import_tasks(store, path, many(("T-2", {"title": "Before it began"}), spec="s"), "them", replace=True)
    started(store, scene, "T-2")
    import_tasks(store, path, many(("T-2", {"title": "Another"}), spec="s"), "them", replace=True)
    import_tasks(store, path, many(("T-2", {"title": "Another"}), spec="s"), "them", replace=True)
    change_dependencies(store, path, "T-2", on=["T-1"])
    change_dependencies(store, path, "T-2", on=["T-1"])
    change_dependencies(store, path, "X-1", on=["T-1"])
    found = interventions(store, scene)
    assert (found.edit, found.total) == (2, 2)


def test_tasks_that_people_left_out_count(store, scene):
    name = project_at(store, scene.repo.path).id
    options = json.dumps({"loop": {"spec": "s", "tasks": [], "skipped": ["T-2", "X-1"]}}).encode()
    add_run(store, NewRun(id="0a0b0c0d", recipe="spec", project=name, options=options, label="s"))
    assert interventions(store, scene).skip == 2


def test_skip_is_written_into_the_options_of_the_run(store, scene):
    from ralph.app.tasks.choice import Choice
    from ralph.app.tasks.run import plan_spec

    scene.reviewed_by()
    planned = asyncio.run(plan_spec(store, scene.repo.path, "s", choice=Choice(skip=("T-2",))))
    stored = new_run(planned.plan, "0a0b0c0d", "p")
    assert json.loads(stored.options)["loop"]["skipped"] == ["T-2"]


def test_a_retry_counts(store, scene):
    from ralph.app.runs.starting import store_run
    from ralph.app.tasks.run import plan_spec

    scene.reviewed_by()
    planned = asyncio.run(plan_spec(store, scene.repo.path, "s"))
    run = store_run(store, scene.repo.path, planned.plan)
    again(store, scene.repo.path, run)
    assert interventions(store, scene).retry == 1


def test_commits_of_people_on_the_branch_count_and_those_of_tasks_do_not(store, scene):
    assert interventions(store, scene).commit is None
    started(store, scene)
    assert interventions(store, scene).commit == 0
    scene.commit_by_hand()
    scene.repo.write("main.txt", "1")
    scene.repo.commit_all("on main")
    scene.repo.git("switch", "--quiet", "ralph/s")
    scene.repo.git("merge", "--quiet", "--no-edit", "main")
    scene.repo.git("switch", "--quiet", "main")
    found = interventions(store, scene)
    assert (found.commit, found.total) == (2, 2)
