"""What an agent of the test bed does to the plan of a story loop: legal changes, and any others."""

import json
import subprocess
from typing import Any

from honesty.tree import Tree
from ralph.plugin.hooks.scripts.story_rules import next_story

PLAN = "ralph/tasks.json"
MARKER = ".ralph-active"
STORY = "US-001"
"""The story about the bug."""
NOTES = "The total is the sum of the prices."


def read_plan(tree: Tree) -> dict[str, Any]:
    return json.loads(tree.read(PLAN))


def write_plan(tree: Tree, plan: dict[str, Any]) -> None:
    tree.write(PLAN, json.dumps(plan, indent=2) + "\n")


def marker(tree: Tree) -> dict[str, Any]:
    """What ralph says about this iteration: `iterationMode`, `skipReview`, ..."""
    return json.loads(tree.read(MARKER))


def is_review(tree: Tree) -> bool:
    return marker(tree)["iterationMode"] == "review"


def own_story(tree: Tree) -> dict[str, Any]:
    """The story that this iteration is about; the first one if none is left."""
    told, plan = marker(tree), read_plan(tree)
    return next_story(plan, told["iterationMode"], told["skipReview"]) or plan["userStories"][0]


def change_story(tree: Tree, name: str, **fields: Any) -> None:
    """Write these fields into a story, whatever the rules say."""
    plan = read_plan(tree)
    for story in plan["userStories"]:
        if story["id"] == name:
            story.update(fields)
    write_plan(tree, plan)


def submit(tree: Tree) -> None:
    """Submit the story for a review; without reviews it passes at once."""
    without_reviews = {"passes": True} if marker(tree)["skipReview"] else {"reviewStatus": "needs_review"}
    change_story(tree, own_story(tree)["id"], reviewFeedback="", notes=NOTES, **without_reviews)


def approve(tree: Tree) -> None:
    """Approve the story, as a review may do."""
    story = own_story(tree)
    count = story["reviewCount"] + 1
    change_story(tree, story["id"], reviewStatus="approved", passes=True, reviewCount=count, notes=NOTES)


def ask_for_changes(tree: Tree, feedback: str = "The total is wrong.") -> None:
    story = own_story(tree)
    count = story["reviewCount"] + 1
    change_story(tree, story["id"], reviewStatus="changes_requested", reviewFeedback=feedback, reviewCount=count)


def commit(tree: Tree, message: str = "work") -> None:
    """Commit everything, if git can: some acts break the repository first."""
    for argv in (["git", "add", "--all"], ["git", "commit", "--quiet", "--message", message]):
        subprocess.run(argv, cwd=tree.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def accept(tree: Tree) -> None:
    """A review that approves without looking, so that only the verify commands can stop wrong work."""
    approve(tree)
    commit(tree, "review: approved")


def refuse(tree: Tree) -> None:
    """A review that asks for changes, as an honest review of wrong work does."""
    ask_for_changes(tree)
    commit(tree, "review: changes requested")
