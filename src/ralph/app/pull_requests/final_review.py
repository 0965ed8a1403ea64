"""The review of a whole branch that a pull request is based on: an existing one, or the run that makes it."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from ralph.app.pull_requests.facts import IMPORTED, Branch
from ralph.app.reviews.reviewers import reviewers
from ralph.app.tasks.settings import load_for_spec
from ralph.kernel.recipes import review as recipe
from ralph.kernel.recipes.review import ReviewRun
from ralph.loop.kinds.chunk import worker
from ralph.loop.plan import Plan, make_plan
from ralph.loop.specs import whole_spec
from ralph.model.errors import ConfigError
from ralph.model.reviews import Review
from ralph.store.history import reviews_of_parts
from ralph.store.projects import known_project
from ralph.store.runs import runs_labelled, runs_of_spec, was_started_by_agent
from ralph.store.sql import Store
from ralph.store.tasks import get_spec, tasks_of

FINAL = "final"


class Reviewer(NamedTuple):
    plan: Plan | None
    why_not: str = ""
    """Why nobody makes the review, in a few words."""


def standing_review(store: Store, project: str, spec: str, branch: Branch) -> Review | None:
    """The latest decision about exactly this change. Reviews from files, or for an agent's run, are left out."""
    runs = [*runs_of_spec(store, project, spec), *runs_labelled(store, project, recipe.NAME, branch.name)]
    rows = {
        row.id: row
        for run in runs
        if run.verdict != IMPORTED and not was_started_by_agent(store, run.id)
        for row in reviews_of_parts(store, run.id)
    }
    made = [msgspec.json.decode(row.body, type=Review) for _, row in sorted(rows.items())]
    fitting = [
        each
        for each in made
        if each.tier == FINAL and each.decision and (each.tree, each.base) == (branch.tree, branch.fork)
    ]
    return fitting[-1] if fitting else None


def plan_final_review(store: Store, project: Path, spec_id: str, branch: Branch) -> Reviewer:
    """The run that makes the review. It raises an AgentUnusable if its reviewer is not available."""
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    loaded = load_for_spec(project, spec, None)
    if loaded.settings.defaults.final_reviewer == "none":
        return Reviewer(None, "defaults.finalReviewer is none, so there is no final review")
    try:
        agent = worker(loaded.settings)
    except ConfigError:
        return Reviewer(None, "no executor is chosen, so there is no final review")
    by = reviewers(loaded.settings, agent, (FINAL,))[FINAL]
    about = whole_spec(project, spec, tasks_of(store, name, spec.id))
    loop = ReviewRun(by, branch.fork, branch.commit, about, label=branch.name)
    return Reviewer(make_plan(recipe.NAME, loaded.settings, loaded.merged, loop))
