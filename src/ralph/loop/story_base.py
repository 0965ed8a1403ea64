"""The start of a story loop's work: the commit whose tests and judges decide, without any agent's work in it."""

from typing import NamedTuple

import msgspec

from ralph.git.repository import Repository
from ralph.kernel.actions.stories import EditedPlan, OpenedStories, SettledStory
from ralph.kernel.recipes.stories import NAME
from ralph.loop.context import RunContext
from ralph.model.runs import Run
from ralph.store.history import last_row
from ralph.store.runs import list_runs

PLAN, ARCHIVE = "ralph: plan ", "ralph: archive "
"""The prefixes of the subjects of ralph's own commits, at the two ends of a feature."""
LOOKED_THROUGH = 200
MOST_COMMITS = 5000


class _Earlier(NamedTuple):
    run: Run
    base: str
    head: str
    """The last commit of it that was checked."""


async def earlier_base(repository: Repository, run: RunContext, branch: str, head: str) -> str:
    """The start of the feature on this branch, if it is before this loop; empty otherwise.

    What an earlier loop recorded counts. Only if the store has no record, as in a clone, the history of the branch is
    used, into which an agent may have written anything.
    """
    earlier = _last_loop(run, branch)
    if earlier is None:
        return await _first_plan(repository, head)
    if earlier.run.verdict != "cancelled" and await _was_archived(repository, earlier.head, head):
        return ""
    return await repository.merge_base(earlier.base, head)


def _last_loop(run: RunContext, branch: str) -> _Earlier | None:
    for each in list_runs(run.store, project=run.project_id, limit=LOOKED_THROUGH):
        if each.recipe != NAME or each.label != branch or each.id == run.run_id:
            continue
        opened = last_row(run.store, each.id, "open-stories", "ended")
        if opened:
            began = msgspec.json.decode(opened.body, type=OpenedStories)
            return _Earlier(each, began.base, _last_head(run, each.id) or began.head)
    return None


def _last_head(run: RunContext, run_id: str) -> str:
    settled = last_row(run.store, run_id, "settle-story", "ended")
    edited = last_row(run.store, run_id, "edit-plan", "ended")
    if edited and (not settled or edited.n > settled.n):
        return msgspec.json.decode(edited.body, type=EditedPlan).head
    return msgspec.json.decode(settled.body, type=SettledStory).head if settled else ""


async def _was_archived(repository: Repository, since: str, head: str) -> bool:
    """Whether the user archived the feature, after the last commit that any agent took part in."""
    subjects = await _subjects(repository, f"{since}..{head}")
    return any(subject.startswith(ARCHIVE) for _, subject in subjects)


async def _first_plan(repository: Repository, head: str) -> str:
    """The commit with which ralph recorded the plan of the feature that is on the branch now."""
    first = ""
    for commit, subject in await _subjects(repository, head):
        if subject.startswith(ARCHIVE):
            break
        if subject.startswith(PLAN):
            first = commit
    return first


async def _subjects(repository: Repository, which: str) -> list[tuple[str, str]]:
    """The commits with their subjects, the newest first."""
    argv = ("log", "--first-parent", "-z", f"--max-count={MOST_COMMITS}", "--format=%H %s", which, "--")
    listed = await repository.git.records(*argv, wanted=bool)
    return [(commit, subject) for commit, _, subject in (each.partition(" ") for each in listed)]
