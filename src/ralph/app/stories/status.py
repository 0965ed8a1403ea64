"""The state of a plan's stories, with their cost from the store."""

from pathlib import Path
from typing import Any

from ralph.kernel.story_summary import PlanSummary, summary_of
from ralph.store.projects import find_project
from ralph.store.sql import Store
from ralph.store.story_costs import story_costs


def plan_summary(store: Store, project: Path, plan: dict[str, Any]) -> PlanSummary:
    known = find_project(store, project)
    costs = story_costs(store, known.id, plan["branchName"]) if known else {}
    return summary_of(plan, costs=costs)
