"""Performing the actions of story planning: the files that result."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec

from ralph.kernel.actions.story_plan import WritePlanFile, WrittenFile
from ralph.kernel.requirements import is_unwritten
from ralph.kernel.story_draft import INITIAL
from ralph.loop.context import Attempt
from ralph.loop.story_marker import living_loop
from ralph.loop.story_plan import PRD, TASKS, Unusable, text_of
from ralph.model.errors import ConfigError
from ralph.plugin.hooks.scripts.active_loop import read_small
from ralph.store.files import replace_file, write_new


async def write_plan_file(action: WritePlanFile, attempt: Attempt) -> WrittenFile:
    """Write a file of the plan. Stories that somebody wrote before stay in the folder of the run."""
    run = attempt.run
    path = run.project / action.folder / action.document
    if pid := living_loop(run.project):
        raise ConfigError(f"a story loop has been started here meanwhile (pid {pid}).", "Wait for it to end.")
    before, kept = text_of(path), ""
    if before == action.text:
        return WrittenFile()
    _refuse_written(path, before)
    if before and action.document == TASKS and any(each.get("acceptanceCriteria") for each in stories_in(path)):
        earlier = attempt.directory() / f"earlier-{TASKS}"
        write_new(earlier, before.encode(errors="replace"))
        kept = run.state.relative(earlier)
    replace_file(path, action.text.encode(errors="replace"))
    return WrittenFile(kept)


def begun_stories(path: Path) -> list[str]:
    """The ids of the stories that an agent has worked on: a new plan would lose that."""
    return [str(each.get("id")) for each in stories_in(path) if _has_begun(each)]


def stories_in(path: Path) -> list[dict[str, Any]]:
    """The entries of the list of stories, however complete they are."""
    found: Any = loose_plan(path).get("userStories")
    listed = msgspec.convert(found, list[Any]) if isinstance(found, list) else []
    return [each for each in listed if isinstance(each, dict)]


def loose_plan(path: Path) -> dict[str, Any]:
    """The content of a tasks.json, which may still be the template and no valid plan."""
    try:
        found: Any = json.loads(read_small(str(path)))
    except OSError as error:
        raise Unusable(f"{path.name} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{path.name} is not valid JSON: {error}.") from error
    if not isinstance(found, dict):
        raise Unusable(f"{path.name} must be a JSON object.")
    return msgspec.convert(found, dict[str, Any])


def _has_begun(story: dict[str, Any]) -> bool:
    return any(story.get(name, value) != value for name, value in INITIAL.items())


def _refuse_written(path: Path, before: str | None) -> None:
    """Raise a ConfigError if somebody changed the file since the planning began."""
    if before is None:
        if os.path.lexists(path):
            raise ConfigError(f"{path} cannot be read: it is not a plain file.", "Move it away, then: ralph prd plan")
        return
    if path.name == PRD and not is_unwritten(before):
        raise ConfigError(f"{path} was written meanwhile, and is left as it is.", "Plan from it: ralph prd plan")
    if path.name == TASKS and (names := _begun(path)):
        raise ConfigError(f"{path} is left as it is: work on {names} has started meanwhile.", "See: ralph prd status")


def _begun(path: Path) -> str:
    try:
        return ", ".join(begun_stories(path)[:5])
    except Unusable as error:
        raise ConfigError(f"{path}: {error}", "Fix it, or move it away.") from None
