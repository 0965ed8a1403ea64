"""The files of a story plan, read as they are and compared with the start of the iteration."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ralph.kernel.actions.stories import BegunStory
from ralph.kernel.story_draft import plan_json
from ralph.model.errors import ConfigError
from ralph.plugin.hooks.scripts.active_loop import MARKER, read_small
from ralph.plugin.hooks.scripts.story_rules import (
    APPROVED,
    NEEDS_REVIEW,
    REVIEW_FIELDS,
    Problem,
    finished,
    is_complete,
    iteration_problems,
    restored,
    snapshot,
    users_part,
)
from ralph.plugin.hooks.scripts.story_schema import schema_problems

TASKS, PRD, PROMPT, PROGRESS = "tasks.json", "prd.md", "prompt.md", "progress.txt"
PLAN_NAMES = (TASKS, PRD, PROMPT, PROGRESS)
IGNORE = ".gitignore"
LINE = re.compile(r"\n---\r?\n")
ROUNDS = 4
SHOWN = 20
"""How many problems of one iteration are reported at most."""
MEMORY, RULES = "CLAUDE.md", ".claude/rules/"
"""The files that a review may write besides the plan."""


class Unusable(Exception):
    """The plan cannot be used, with the reason."""


class Legal(NamedTuple):
    """A plan after everything that is not allowed was undone."""

    plan: dict[str, Any]
    problems: list[str]


def read_plan(path: Path) -> dict[str, Any]:
    try:
        content = read_small(str(path))
    except FileNotFoundError as error:
        raise Unusable(f"{path.name} does not exist.") from error
    except OSError as error:
        raise Unusable(f"{path.name} cannot be read: {error.strerror or error}.") from error
    return plan_in(content)


def plan_in(content: bytes) -> dict[str, Any]:
    try:
        plan = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{TASKS} is not valid JSON: {error}.") from error
    problems = schema_problems(plan)
    if problems:
        raise Unusable(" ".join(problems))
    return plan


def plan_text(plan: dict[str, Any]) -> bytes:
    return plan_json(plan).encode(errors="replace")


def made_legal(
    path: Path,
    begun: BegunStory,
    cap: int,
    *,
    skip_review: bool,
    touched: list[str],
    folder: str,
    unsaved: list[str] | None = None,
) -> Legal:
    """The agent's plan, with everything undone that this iteration may not do.

    `touched` are the files that it changed; `unsaved` those that it did not commit, if it did not commit the plan.
    """
    try:
        plan = read_plan(path)
    except Unusable as problem:
        return Legal(begun.plan, [str(problem), "ralph restored the plan to its state before the iteration."])
    before, users = snapshot(begun.plan), users_part(begun.plan)
    told: dict[str, None] = {}

    def problems_of(plan: dict[str, Any]) -> list[Problem]:
        found = iteration_problems(plan, before, users, begun.mode, cap, skip_review)
        found += _unsaved_moves(plan, before, unsaved or [])
        return [*found, *_reviewer_who_wrote(plan, begun, touched, folder)] if not skip_review else found

    for _ in range(ROUNDS):
        found = problems_of(plan)
        told |= dict.fromkeys(each.message for each in found)
        if not any(each.rule for each in found):
            return Legal(plan, _shortened(told))
        plan = restored(plan, before, found, users)
    # A restored plan can break the rules only if the earlier one did. Then nothing of it counts.
    return Legal(begun.plan, [*_shortened(told), "ralph restored the plan to its state before the iteration."])


def _shortened(told: dict[str, None]) -> list[str]:
    """The first problems: a plan may have 100,000 stories, and an agent may have changed all of them."""
    more = [f"... and {len(told) - SHOWN} more."] if len(told) > SHOWN else []
    return [*list(told)[:SHOWN], *more]


def _unsaved_moves(plan: dict[str, Any], before: dict[str, Any], unsaved: list[str]) -> list[Problem]:
    """The problems of stories that moved without the commit that holds the work."""
    moved = [
        story["id"]
        for story in plan["userStories"]
        if unsaved and any(story[key] != before.get(story["id"], story).get(key) for key in REVIEW_FIELDS)
    ]
    text = f"was moved on, but neither that nor {', '.join(unsaved[:5])} is committed. Commit all of it together."
    return [Problem(name, "review", f"Story {name} {text}") for name in moved]


def _reviewer_who_wrote(plan: dict[str, Any], begun: BegunStory, touched: list[str], folder: str) -> list[Problem]:
    """The problems of a reviewer that changed the code: such a review cannot approve it."""
    others = _work_among(touched, folder)
    if begun.mode != "review" or not others:
        return []
    newly = sorted(finished(plan) - finished(begun.plan))
    text = f"a review changed {', '.join(others[:5])}, so it cannot approve: reviews do not change code."
    return [Problem(name, "review", f"Story {name}: {text}") for name in newly]


def to_review_again(legal: Legal, begun: BegunStory, *, touched: list[str], folder: str) -> Legal:
    """The plan with the last story back in review: no review has seen what is written when all stories are approved."""
    others = _work_among(touched, folder)
    if not others or not is_complete(begun.plan) or not is_complete(legal.plan):
        return legal
    name: str = max(legal.plan["userStories"], key=lambda story: story["priority"])["id"]
    plan = with_stories(legal.plan, (name,), lambda _story: {"passes": False, "reviewStatus": NEEDS_REVIEW})
    text = f"{', '.join(others[:5])} changed after all stories were approved. Story {name} must be reviewed again."
    return Legal(plan, [*legal.problems, text])


def _work_among(touched: list[str], folder: str) -> list[str]:
    """The files that no review may write."""
    return [name for name in touched if name != MEMORY and not name.startswith((f"{folder}/", RULES))]


def kept_progress(before: str, now: str | None) -> str | None:
    """The progress log with all earlier entries; None if none is missing."""
    if now is None:
        return before
    top, line, entries = _parted(before)
    head, is_parted, later = _parted(now)
    # Without its line all of a log is entries.
    if later.startswith(entries.rstrip()) if line and is_parted else before.strip() in now:
        return None
    new = later if is_parted else now
    added = "" if new.strip() in before else new
    return f"{head if line and is_parted else top}{line}{entries.rstrip()}\n{added}".rstrip() + "\n"


def _parted(log: str) -> tuple[str, str, str]:
    """The head of a progress log, its line, and the entries below it. Without the line all of it is entries."""
    found = LINE.search(log)
    return (log[: found.start()], found[0], log[found.end() :]) if found else ("", "", log)


def text_of(path: Path) -> str | None:
    """The text of a file; None if it cannot be read."""
    try:
        return read_small(str(path)).decode(errors="replace")
    except OSError:
        return None


def ignores_marker_newly(project: Path, committed: bytes | None) -> bool:
    """Whether the line that `ralph prd init` adds is the only new one in .gitignore."""
    now = (text_of(project / IGNORE) or "").splitlines()
    before = (committed or b"").decode(errors="replace").splitlines()
    return MARKER in now and [line for line in now if line != MARKER] == before


def prompt_text(folder: Path, iteration: int, limit: int) -> str:
    """The prompt of an iteration. Only its two variables are replaced."""
    text = text_of(folder / PROMPT)
    if not text or not text.strip():
        raise ConfigError(f"{folder / PROMPT} is missing or empty.", "Write a new one: ralph prd init")
    return text.replace("$RALPH_ITERATION", str(iteration)).replace("$RALPH_MAX_ITERATIONS", str(limit))


def with_stories(
    plan: dict[str, Any], names: tuple[str, ...], change: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    stories = [{**each, **change(each)} if each["id"] in names else each for each in plan["userStories"]]
    return {**plan, "userStories": stories}


def approved_at_cap(text: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def change(story: dict[str, Any]) -> dict[str, Any]:
        told = story["reviewFeedback"]
        feedback = told if told.startswith(text) else f"{text} {told}"
        notes = story.get("notes") or "Approved at the review cap."
        return {"passes": True, "reviewStatus": APPROVED, "reviewFeedback": feedback, "notes": notes}

    return change
