"""The plan for the loop, made from the stories that a planner proposes."""

import json
import re
from typing import Any

from msgspec import to_builtins

from ralph.kernel.plan_forms import StoriesDraft, StoryDraft
from ralph.kernel.plan_options import StoryPlanRun
from ralph.plugin.hooks.scripts.story_schema import schema_problems

BRANCH = re.compile(r"(?!.*(\.\.|//|\.lock$|[./]$))[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")
"""The branch names that ralph accepts, fewer than git does."""
INITIAL = {"passes": False, "reviewStatus": None, "reviewCount": 0, "reviewFeedback": "", "notes": ""}
VAGUE = re.compile(
    r"(it )?(works?|is|looks?|behaves?)( (correctly|fine|well|good|as expected|properly))?\.?", re.IGNORECASE
)


def story_plan(run: StoryPlanRun, draft: StoriesDraft) -> dict[str, Any]:
    """A tasks.json in which nothing has begun. What the user put into it before stays, and comes first."""
    plan = {
        "project": run.project,
        "branchName": run.branch or draft.branch_name,
        "description": draft.description,
        "verifyCommands": list(dict.fromkeys((*run.commands, *draft.verify_commands))),
        "userStories": [_story(each) for each in sorted(draft.user_stories, key=lambda each: each.priority)],
    }
    may_change = list(dict.fromkeys((*run.may_change, *draft.may_change)))
    return plan | ({"mayChange": may_change} if may_change else {})


def story_problems(run: StoryPlanRun, draft: StoriesDraft) -> list[str]:
    """What the loop would refuse, and what the rules for stories forbid."""
    plan = story_plan(run, draft)
    found = schema_problems(plan)
    if found:
        return found
    if not run.branch and not BRANCH.fullmatch(draft.branch_name):
        found.append(f"branchName {draft.branch_name!r} is not a simple branch name such as ralph/login.")
    if not draft.description.strip():
        found.append("'description' is empty: say in one sentence what is built.")
    found += [f"The verify command {each!r} is empty." for each in draft.verify_commands if not each.strip()]
    found += [
        f"mayChange {each!r} would let agents change every test." for each in draft.may_change if not each.strip("*/. ")
    ]
    order = {each.id: each.priority for each in draft.user_stories}
    return found + [text for each in draft.user_stories for text in _problems_of(each, order)]


def plan_json(plan: dict[str, Any]) -> str:
    """The plan in the format of every tasks.json."""
    return json.dumps(plan, indent=2, ensure_ascii=False) + "\n"


def _story(draft: StoryDraft) -> dict[str, Any]:
    given: dict[str, Any] = to_builtins(draft)
    needs = given.pop("dependsOn")
    return {**given, **INITIAL, "dependsOn": needs}


def _problems_of(story: StoryDraft, order: dict[str, int]) -> list[str]:
    found = [
        f"Story {story.id} has no {name}."
        for name, text in (("title", story.title), ("description", story.description))
        if not text.strip()
    ]
    found += [
        f'Story {story.id}: the criterion "{each}" cannot be verified.'
        for each in story.acceptance_criteria
        if not each.strip() or VAGUE.fullmatch(each.strip())
    ]
    return found + [
        f"Story {story.id} depends on {each}, so its priority must be above {order[each]}, not {story.priority}."
        for each in story.depends_on
        if order[each] >= story.priority
    ]
