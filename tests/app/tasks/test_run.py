import asyncio
import json
import os

import pytest

from ralph.app.tasks.loops import How
from ralph.app.tasks.run import plan_spec, plan_task
from ralph.app.tasks.tasks import import_tasks
from ralph.loop.kinds.stage import agent_of
from ralph.model.errors import AgentUnusable, ConfigError
from ralph.store.projects import known_project
from ralph.store.sqlite import SqliteStore
from ralph.store.tasks import change_spec_config, set_status
from ralph.testing import temp_repo
from task_shell import many

HOW = How("pipeline", agent="true")


@pytest.fixture
def repo(tmp_path, monkeypatch):
    made = temp_repo(tmp_path)
    for name, value in made.env.items():
        monkeypatch.setitem(os.environ, name, value)
    return made


@pytest.fixture
def store(repo):
    with SqliteStore(repo.home / ".ralph") as opened:
        import_tasks(opened, repo.path, many(("A", {}), ("B", {"dependencies": ["A"]})), "file")
        yield opened


def test_several_plans_are_made_inside_one_event_loop(store, repo):
    repo.write("new.txt", "x")

    async def both():
        return await asyncio.gather(plan_task(store, repo.path, "A", HOW), plan_spec(store, repo.path, "auth", HOW))

    task, spec = asyncio.run(both())
    told = "1 uncommitted change stays here, untouched: a task works on what is committed."
    assert task.warnings == spec.warnings == [told, "no sandbox: true runs unsandboxed."]
    assert (task.plan.recipe, task.plan.loop.spec, task.plan.loop.task.id) == ("task", "auth", "A")
    assert [each.role for each in task.plan.loop.stages] == ["coder", "reviewer", "tester", "qa"]
    assert [(each.loop.task.id, each.dependencies) for each in spec.plan.loop.tasks] == [("A", ()), ("B", ("A",))]


def chosen(store, repo, *tasks, run_as=None):
    """By task, the recipe that drives it."""
    import_tasks(store, repo.path, many(*tasks, spec="other"), "file", without_criteria=True)
    planned = asyncio.run(plan_spec(store, repo.path, "other", How(run_as, agent="true")))
    return {each.loop.task.id: each.loop.recipe for each in planned.plan.loop.tasks}


def test_criteria_for_a_role_make_a_pipeline_and_all_else_is_a_chunk(store, repo):
    done = {"outcome": "o", "acceptance_criteria": ["c"]}
    tasks = (
        ("R", {"completion": {**done, "coder": {"promise": "MADE", "verification_method": "string_match"}}}),
        ("C", {"completion": done}),
        ("N", {"completion": None}),
    )
    assert chosen(store, repo, *tasks) == {"R": "task", "C": "chunk", "N": "chunk"}


@pytest.mark.parametrize(("run_as", "recipe"), [("pipeline", "task"), ("chunk", "chunk")])
def test_a_person_may_say_which(store, repo, run_as, recipe):
    done = {"outcome": "o", "acceptance_criteria": ["c"], "coder": {"verification_method": "string_match"}}
    tasks = (("R", {"completion": done}), ("N", {"completion": None}))
    assert set(chosen(store, repo, *tasks, run_as=run_as).values()) == {recipe}


def chunk_of(store, repo, settings, **task):
    repo.write(".ralph/settings.json", json.dumps(settings))
    import_tasks(store, repo.path, many(("X", task), spec="other"), "file", replace=True)
    return asyncio.run(plan_task(store, repo.path, "X", How(agent="true"))).plan.loop


def test_steps_and_checks_of_a_chunk_are_commands_in_order(store, repo):
    steps = [{"name": "Types", "command": "tsc"}, {"name": "Lint", "command": "lint", "required": False}]
    criteria = ["it is good", {"check": "test -e a", "text": "a is there"}, {"person": "it looks good"}]
    completion = {"outcome": "o", "acceptance_criteria": criteria}
    loop = chunk_of(store, repo, {"verification": {"steps": steps}}, completion=completion)
    assert [(each.name, each.check.command, each.required) for each in loop.check.stages] == [
        ("Types", "tsc", True),
        ("Lint", "lint", False),
        ("a is there", "test -e a", True),
    ]
    assert loop.check.stages[2].check.covers == (2,)
    assert loop.judged.check_for == ("it is good",)
    assert [(each.number, each.text) for each in loop.people] == [(3, "it looks good")]


def test_verification_that_is_switched_off_leaves_the_checks_of_the_task(store, repo):
    steps = [{"name": "Types", "command": "tsc"}]
    completion = {"outcome": "o", "acceptance_criteria": [{"check": "true"}]}
    loop = chunk_of(store, repo, {"verification": {"enabled": False, "steps": steps}}, completion=completion)
    assert [each.name for each in loop.check.stages] == ["true"]


def test_the_limit_of_a_chunk_is_the_tasks_own_or_the_settings(store, repo):
    assert chunk_of(store, repo, {}).limit == 5
    assert chunk_of(store, repo, {"defaults": {"maxIterations": 7}}).limit == 7
    assert chunk_of(store, repo, {"defaults": {"maxIterations": 7}}, max_iterations=2).limit == 2


@pytest.mark.parametrize("tier", ["quick", "deep"])
def test_a_reviewer_that_is_not_installed_is_known_at_the_start(store, repo, tier):
    reviewers = {"reviewers": [{"id": "gone", "agent": "nowhere-to-be-found"}]}
    with pytest.raises(AgentUnusable, match=f"nowhere-to-be-found, which makes the {tier} review") as refused:
        chunk_of(store, repo, {"tools": reviewers, "defaults": {f"{tier}Reviewer": "gone"}})
    assert refused.value.exit_code == 7


def test_a_tier_that_is_switched_off_has_no_reviewer(store, repo):
    loop = chunk_of(store, repo, {"defaults": {"quickReviewer": "none"}})
    assert (loop.quick, loop.deep.reviewer) == (None, "deep")


def test_steps_are_run_with_every_stage_of_a_pipeline(store, repo):
    steps = {"verification": {"steps": [{"name": "Types", "command": "tsc"}]}, "pipeline": ["coder", "qa"]}
    repo.write(".ralph/settings.json", json.dumps(steps))
    stages = asyncio.run(plan_task(store, repo.path, "A", HOW)).plan.loop.stages
    assert [[part.name for part in stage.check.stages] for stage in stages] == [["Types", "acceptance"]] * 2


def test_what_is_not_ready_is_not_planned(store, repo):
    with pytest.raises(ConfigError, match="task B depends on A, which is pending"):
        asyncio.run(plan_task(store, repo.path, "B", HOW))
    name = known_project(store, repo.path)
    for task in ("A", "B"):
        set_status(store, name, task, "completed")
    with pytest.raises(ConfigError, match="task A is completed"):
        asyncio.run(plan_task(store, repo.path, "A", HOW))
    assert asyncio.run(plan_task(store, repo.path, "A", HOW, again=True)).plan.loop.task.id == "A"
    left = asyncio.run(plan_spec(store, repo.path, "auth", HOW)).plan.loop
    assert (left.tasks, left.final.by.reviewer) == ((), "final")
    repo.write(".ralph/settings.json", json.dumps({"defaults": {"finalReviewer": "none"}}))
    assert asyncio.run(plan_spec(store, repo.path, "auth", HOW)) is None


def test_directory_without_a_repository_is_refused(repo, tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    with SqliteStore(repo.home / ".ralph") as store:
        import_tasks(store, plain, many(("A", {})), "file")
        with pytest.raises(ConfigError, match="is not a git repository"):
            asyncio.run(plan_task(store, plain, "A", HOW))


# Who works


@pytest.fixture
def settled(store, repo):
    """A project that `ralph init` has set up, with a role that names its agent."""
    judge = {"id": "judge", "type": "command", "command": "true"}
    settings = {
        "tools": {"executors": [judge]},
        "agent": {"command": "claude", "flags": ["-x"]},
        "roles": {"qa": {"agent": "amp"}},
        "ralph": {"semantic_model": "judge"},
    }
    repo.write(".ralph/settings.json", json.dumps(settings))

    def workers(agent=None, **config):
        store.write(change_spec_config(known_project(store, repo.path), "auth", config))
        plan = asyncio.run(plan_task(store, repo.path, "A", How("pipeline", agent=agent))).plan
        roles = [agent_of(plan.settings, stage.role) for stage in plan.loop.stages]
        return {" ".join([*each.command, *each.flags]): None for each in roles}

    return workers


def test_without_an_executor_the_agent_of_run_works(settled):
    assert list(settled()) == ["claude -x", "amp"]


def test_executor_of_the_spec_works_in_a_project_that_init_set_up(settled):
    assert list(settled(defaults={"executor": "codex"})) == ["codex", "amp"]


def test_agent_of_this_one_run_works_in_the_place_of_all_others(settled):
    assert list(settled("goose", defaults={"executor": "codex"})) == ["goose"]


def test_run_refuses_what_config_check_refuses(settled, repo):
    repo.write(".ralph/config.yaml", "defaults: {quickReviewer: nobody}")
    with pytest.raises(ConfigError, match=r"defaults\.quickReviewer names 'nobody'"):
        settled()
