"""The plan of the column `stories`, as a user writes it before `ralph prd run`."""

import json
from pathlib import Path
from typing import Any

from honesty.columns import SPEC
from honesty.declaration import Behaviour
from honesty.story_moves import PLAN, STORY
from ralph.app.stories.files import prepare

NEW = {"passes": False, "reviewStatus": None, "reviewCount": 0, "reviewFeedback": "", "notes": ""}


def write_story_plan(project: Path, behaviour: Behaviour) -> None:
    """Write the files of `ralph prd init`, with one story about the bug and the check as the verify command."""
    prepare(project, SPEC)
    plan = _read(project)
    plan["verifyCommands"] = [behaviour.check_command]
    plan["userStories"] = [story(STORY, behaviour.start.criterion)]
    if behaviour.may_change:
        plan["mayChange"] = list(behaviour.may_change)
    _write(project, {**plan, **behaviour.plan})


def story(name: str, *criteria: str, **fields: Any) -> dict[str, Any]:
    """A story on which nobody has worked yet."""
    about = {"title": "Fix the shop", "acceptanceCriteria": list(criteria), "priority": 1, "dependsOn": []}
    return {"id": name, **about, **NEW, **fields}


def want_more(project: Path, behaviour: Behaviour) -> None:
    """Add a story if all are done, so that a second run has work."""
    plan = _read(project)
    stories: list[dict[str, Any]] = plan["userStories"]
    if all(each["passes"] for each in stories):
        _write(
            project, {**plan, "userStories": [*stories, story(f"US-{len(stories) + 1:03}", behaviour.start.criterion)]}
        )


def is_approved(folder: Path) -> bool:
    """Whether the story about the bug passes in the delivered plan; if it was split or is gone, whether all do."""
    try:
        stories = _read(folder)["userStories"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    about_the_bug = [each for each in stories if each["id"] == STORY] or stories
    return all(each["passes"] for each in about_the_bug)


def _read(project: Path) -> dict[str, Any]:
    return json.loads((project / PLAN).read_text(encoding="utf-8"))


def _write(project: Path, plan: dict[str, Any]) -> None:
    (project / PLAN).write_text(json.dumps(plan, indent=2) + "\n", encoding="utf-8")
