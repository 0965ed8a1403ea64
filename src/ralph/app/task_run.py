"""From a task, or the tasks of a spec, to a run that can be started."""

import asyncio
import os
from pathlib import Path
from typing import Any, NamedTuple

from ralph.app.kinds.stage import agent_of
from ralph.app.plan import Plan, make_plan
from ralph.app.task_roles import role_defaults
from ralph.config.layers import Loaded, load
from ralph.config.schema import Settings
from ralph.git.repository import Repository
from ralph.kernel.completion import RoleDefaults, default_criteria, verification_of
from ralph.kernel.recipes import spec as spec_recipe
from ralph.kernel.recipes import task as task_recipe
from ralph.kernel.recipes.spec import SpecRun, SpecTask
from ralph.kernel.recipes.task import TaskRun
from ralph.kernel.role_text import instructions
from ralph.kernel.stage_text import Stage, TaskText
from ralph.kernel.task_rules import in_order
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.model.verdicts import count
from ralph.store.database import connect
from ralph.store.tasks import get_spec, get_task, tasks_of


class Planned(NamedTuple):
    plan: Plan
    warnings: list[str]


def plan_task(project: Path, task_id: str, *, flags: dict[str, Any], fresh: bool, again: bool) -> Planned:
    connection = connect()
    task = get_task(connection, str(project), task_id)
    if task.status == "completed" and not again:
        raise ConfigError(f"task {task.id} is completed.", f"Run it once more: ralph task run {task.id} --again")
    by_id = {each.id: each for each in tasks_of(connection, str(project))}
    waiting = [name for name in task.dependencies if by_id[name].status != "completed"]
    if waiting:
        first = by_id[waiting[0]]
        raise ConfigError(
            f"task {task.id} depends on {first.id}, which is {first.status}.",
            f"Run that first, or all in order: ralph spec run {task.spec_id}",
        )
    loaded = load(project, flags=flags)
    loop = _task_run(task, loaded.settings, fresh=fresh)
    warnings = [*_warnings([task], loaded.settings), *_look_at_repository(project)]
    return Planned(_plan(task_recipe.NAME, project, loaded, loop), warnings)


def plan_spec(project: Path, spec_id: str, *, flags: dict[str, Any], fresh: bool) -> Planned | None:
    """Nothing, if all its tasks are completed."""
    connection = connect()
    spec = get_spec(connection, str(project), spec_id)
    everything = tasks_of(connection, str(project))
    tasks = [task for task in in_order(everything) if task.spec_id == spec.id]
    if not tasks:
        raise ConfigError(f"spec {spec.id} has no tasks.", f'Add one: ralph task create ID {spec.id} "TITLE" ...')
    open_tasks = [task for task in tasks if task.status != "completed"]
    if not open_tasks:
        return None
    _refuse_foreign_dependencies(open_tasks, everything)
    loaded = load(project, flags=flags)
    loop = SpecRun(
        spec.id,
        tuple(SpecTask(_task_run(task, loaded.settings, fresh=fresh), task.dependencies) for task in open_tasks),
    )
    warnings = [*_warnings(open_tasks, loaded.settings), *_look_at_repository(project)]
    return Planned(_plan(spec_recipe.NAME, project, loaded, loop), warnings)


def _plan(recipe: str, project: Path, loaded: Loaded, loop: TaskRun | SpecRun) -> Plan:
    return make_plan(recipe, project, loaded.settings, loaded.merged, loop)


def _task_run(task: Task, settings: Settings, *, fresh: bool) -> TaskRun:
    spec = task.completion_spec
    text = TaskText(
        id=task.id,
        title=task.title,
        description=task.description,
        outcome=spec.outcome if spec else "",
        acceptance=spec.acceptance_criteria if spec else (),
    )
    roles = role_defaults(settings)
    return TaskRun(
        spec=task.spec_id,
        task=text,
        stages=tuple(_stage(name, roles[name], task, settings) for name in _pipeline(settings)),
        copy=tuple(settings.worktree.copy),
        init=settings.worktree.init or "",
        fresh=fresh,
    )


def _pipeline(settings: Settings) -> list[str]:
    for number, name in enumerate(settings.pipeline):
        if name not in settings.roles:
            known = ", ".join(settings.roles)
            raise ConfigError(f"pipeline names the role {name!r}, which is not in roles.", f"Known: {known}")
        if name in settings.pipeline[:number]:
            raise ConfigError(f"pipeline names the role {name!r} twice.", "Name each role once.")
    if not settings.pipeline:
        raise ConfigError("pipeline is empty.", 'Name at least one role: "pipeline": ["coder"]')
    return settings.pipeline


def _stage(name: str, role: RoleDefaults, task: Task, settings: Settings) -> Stage:
    agent_of(settings, name)  # One that cannot be had is better known now than in an hour.
    spec = task.completion_spec
    acceptance = spec.acceptance_criteria if spec else ()
    own = spec.roles.get(name) if spec else None
    criteria = own or default_criteria(name, role, task.title, acceptance)
    limit = criteria.max_iterations or role.max_iterations
    return Stage(
        role=name,
        promise=criteria.promise,
        check=verification_of(criteria, acceptance),
        limit=limit if settings.ralph.enabled else 1,
        success=criteria.description,
        instructions=instructions(name, settings.roles[name].instructions),
    )


def _warnings(tasks: list[Task], settings: Settings) -> list[str]:
    found: list[str] = []
    for task in tasks:
        if task.completion_spec is None:
            found.append(f"task {task.id} has no completion criteria: each role's promise alone will count.")
            continue
        unused = [name for name in task.completion_spec.roles if name not in settings.pipeline]
        found += [f"task {task.id} has criteria for {name}, a role that is not in pipeline." for name in unused]
    return found


def _refuse_foreign_dependencies(tasks: list[Task], everything: list[Task]) -> None:
    """A task of another spec is not run here, so it must be completed already."""
    status = {task.id: task.status for task in everything}
    own = {task.id for task in tasks}
    for task in tasks:
        for name in task.dependencies:
            if name not in own and status[name] != "completed":
                raise ConfigError(
                    f"task {task.id} depends on {name} of another spec, which is {status[name]}.", "Run that first."
                )


def _look_at_repository(project: Path) -> list[str]:
    async def look() -> int:
        repository = Repository(project, os.environ, "look")
        await repository.require()
        return await repository.uncommitted()

    changes = asyncio.run(look())
    if not changes:
        return []
    return [f"{count(changes, 'uncommitted change')} stay here, untouched: a task works on what is committed."]
