"""From flags, settings and a plan to a story loop that can be started."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from ralph.agents.permissions import meaning, refusal_as_root
from ralph.app.runs.measured import budget_warning
from ralph.app.runs.proof_rules import proof_rules
from ralph.app.sandbox import sandbox_flags
from ralph.app.stories.ground import look_at_ground, plan_at
from ralph.app.usable import load_usable
from ralph.config.schema import Settings
from ralph.kernel.recipes import stories
from ralph.kernel.stage_text import global_rules
from ralph.kernel.story_options import FOLDER, StoriesRun
from ralph.kernel.story_summary import summary_of
from ralph.loop.confinement import confinement_of
from ralph.loop.plan import Plan, make_plan
from ralph.loop.story_plan import PROMPT, TASKS, prompt_text, text_of
from ralph.model.errors import AgentUnusable, ConfigError
from ralph.model.words import count
from ralph.plugin.hooks.scripts.story_rules import invariant_problems
from ralph.sandbox.choice import NONE, sandbox_of
from ralph.store.state_dir import StateDir


class StoryOptions(NamedTuple):
    """What the user gave on the command line."""

    folder: str
    iterations: int | None = None
    model: str | None = None
    sandbox: bool | None = None
    skip_review: bool | None = None
    review_cap: int | None = None
    allow_dirty: bool = False
    agent: str | None = None
    returns: bool = False
    """Whether what is checked out now is checked out again at the end."""


class PlannedStories(NamedTuple):
    plan: Plan
    told: list[str]


async def plan_stories(project: Path, given: StoryOptions) -> PlannedStories:
    settings, merged = _settings(project, given)
    tasks = plan_at(project, given.folder)
    branch, skip = tasks["branchName"], settings.skip_review
    ground = await look_at_ground(project, branch, given.folder, allow_dirty=given.allow_dirty)
    tasks = ground.plan or tasks
    problems = [] if skip else invariant_problems(tasks, settings.review_cap)
    if problems:
        raise ConfigError(f"{given.folder}/tasks.json: {problems[0].message}", "Fix it, or run with --skip-review.")
    loop = StoriesRun(
        limit=given.iterations or settings.prd.max_iterations,
        branch=branch,
        folder=given.folder,
        cap=settings.review_cap,
        skip_review=skip,
        user_files=ground.dirty,
        rules=proof_rules(settings),
        check_timeout=settings.timeouts.guardrail or 0.0,
        project_rules=tuple(settings.rules),
        return_to=ground.checked_out if given.returns else "",
    )
    plan = make_plan(stories.NAME, settings, merged, loop)
    return PlannedStories(plan, [*_told(plan, tasks, ground.dirty, project), *_refused_as_root(plan)])


def first_prompt(project: Path, loop: StoriesRun) -> str:
    """The prompt of the first iteration."""
    text = prompt_text(project / loop.folder, 1, loop.limit)
    return "\n\n".join(each for each in (text, global_rules(loop.project_rules)) if each)


def _settings(project: Path, given: StoryOptions) -> tuple[Settings, dict[str, Any]]:
    flags = sandbox_flags(wanted=given.sandbox)
    if given.agent:
        flags["agent"] = {"command": given.agent}
    if given.skip_review is not None:
        flags["skipReview"] = given.skip_review
    if given.review_cap is not None:
        flags["reviewCap"] = given.review_cap
    loaded = load_usable(project, flags=flags)
    if not given.model:
        return loaded.settings, loaded.merged
    own = loaded.settings.agent.flags
    flags["agent"] = {**flags.get("agent", {}), "flags": [*own, f"--model {given.model}"]}
    again = load_usable(project, flags=flags)
    return again.settings, again.merged


def _refused_as_root(plan: Plan) -> list[str]:
    agent = plan.agent
    if agent and (missing := refusal_as_root(agent.adapter.name, agent.flags, os.environ)):
        raise AgentUnusable(
            f"{agent.name} refuses to work unattended as root.", f"Run ralph as another user, or set {missing}=1."
        )
    return []


def _told(plan: Plan, tasks: dict[str, Any], dirty: tuple[str, ...], project: Path) -> list[str]:
    loop: StoriesRun = plan.loop
    found = summary_of(tasks, skip_review=loop.skip_review)
    left = count(found.iterations_left, "iteration")
    stories_left = "1 story" if found.open == 1 else f"{found.open} stories"
    told = [f"{stories_left} open, about {left}, limit {loop.limit}."]
    if plan.agent:
        agent = plan.agent
        told.append(meaning(agent.adapter.name, agent.flags, agent.name))
        if sandbox_of(plan.settings, plan.kind.sandbox) != NONE:
            home = StateDir(project).root
            told.append(f"No sandbox: {confinement_of(plan.settings, plan.kind, agent, home, project).name}.")
        told += filter(None, [budget_warning(plan.settings, agent)])
    if loop.folder != FOLDER and f"{FOLDER}/{TASKS}" in (text_of(project / loop.folder / PROMPT) or ""):
        told.append(
            f"{loop.folder}/{PROMPT} names {FOLDER}/{TASKS}, but the plan is in {loop.folder}: change it there."
        )
    if dirty:
        told.append(f"Not touched, because they are yours: {', '.join(dirty[:5])}")
    return told
