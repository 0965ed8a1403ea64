"""Comparing what an iteration of a story loop left with how it began. What is not allowed is undone."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from ralph.git.hidden import hidden_work
from ralph.git.own_commits import back_on_branch, commit_files
from ralph.git.repository import Repository
from ralph.git.trees import StoredTree, changed_paths, read_tree
from ralph.kernel.actions.stories import SettledStory, SettleStory
from ralph.loop.context import Attempt
from ralph.loop.story_branch import RALPHS, back_after_a_break, uncommitted
from ralph.loop.story_plan import (
    PRD,
    PROGRESS,
    PROMPT,
    TASKS,
    Legal,
    Unusable,
    kept_progress,
    made_legal,
    plan_text,
    read_plan,
    text_of,
    to_review_again,
)
from ralph.store.control import heard

LEFT = "stories-left"
"""The key in `kept` for the commit at which ralph last left the branch."""
PAUSES = "stories-pauses"
"""The key in `kept` for the number of pauses that were over then."""


class _Kept(NamedTuple):
    """The files of the plan as they must be, and what is wrong with those that are not."""

    files: dict[str, bytes]
    problems: list[str]


async def settle_story(action: SettleStory, attempt: Attempt) -> SettledStory:
    run, begun = attempt.run, action.start
    repository = attempt.repository()
    problems = await back_after_a_break(repository, attempt, action.branch, action.user_files)
    strayed = await back_on_branch(repository, action.branch, begun.head, run.run_id, action.iteration)
    problems += [strayed] if strayed else []
    legal = await _legal(action, attempt, repository)
    kept = await _kept(action, attempt, repository, legal)
    problems += [*legal.problems, *kept.problems]
    head = await _committed(action, attempt, repository, kept.files, was_legal=not (legal.problems or kept.problems))
    dirty = await uncommitted(repository, action.user_files)
    found = await hidden_work(repository, action.base, rules=action.git, head=head)
    run.kept[PAUSES] = len(heard(run.store, run.run_id, "go"))
    run.kept[LEFT] = head
    changed = head != begun.head or tuple(dirty) != begun.dirty
    return SettledStory(legal.plan, head, tuple(problems), tuple(dirty), changed, tuple(found))


def keep_aside(attempt: Attempt, path: Path) -> None:
    """Keep the agent's version in the folder of the run."""
    text = text_of(path)
    if text is not None:
        (attempt.directory() / path.name).write_text(text, encoding="utf-8", errors="replace")


async def _legal(action: SettleStory, attempt: Attempt, repository: Repository) -> Legal:
    head = (await repository.look()).head
    committed = await changed_paths(repository, action.start.head, head)
    dirty = await uncommitted(repository, action.user_files)
    plan = f"{action.folder}/{TASKS}"
    others = [name for name in dirty if not name.startswith(f"{action.folder}/") and name not in action.start.dirty]
    touched = [name for name in (*committed, *dirty) if not name.startswith(RALPHS)]
    legal = made_legal(
        attempt.run.project / plan,
        action.start,
        action.cap,
        skip_review=action.skip_review,
        touched=touched,
        folder=action.folder,
        unsaved=others if plan in dirty else [],
    )
    if action.skip_review:
        return legal
    return to_review_again(legal, action.start, touched=touched, folder=action.folder)


async def _kept(action: SettleStory, attempt: Attempt, repository: Repository, legal: Legal) -> _Kept:
    """The files to keep: prd.md and prompt.md are the user's, progress.txt may only grow, and tasks.json keeps its
    legal part.
    """
    before, now = [await read_tree(repository, each) for each in (action.start.head, "HEAD")]
    project = attempt.run.project
    files: dict[str, bytes] = {}
    problems: list[str] = []
    for name in (PRD, PROMPT):
        path = f"{action.folder}/{name}"
        content = await before.read(path)
        if content is None:
            continue
        files[path] = content
        if text_of(project / path) != content.decode(errors="replace") or await now.read(path) != content:
            problems.append(f"{path} is read-only. ralph restored it to its state before the iteration.")
    problems += await _kept_log(f"{action.folder}/{PROGRESS}", project, before, files)
    path = f"{action.folder}/{TASKS}"
    files[path] = _kept_plan(attempt, project / path, legal)
    committed = _plan_in(await now.read(path))
    if not legal.problems and committed not in (action.start.plan, legal.plan):
        problems.append(f"{path} was committed with other content than it has now. The current content counts.")
    return _Kept(files, problems)


async def _kept_log(path: str, project: Path, before: StoredTree, files: dict[str, bytes]) -> list[str]:
    content = await before.read(path)
    kept = None if content is None else kept_progress(content.decode(errors="replace"), text_of(project / path))
    if kept is None:
        return []
    files[path] = kept.encode(errors="replace")
    return [f"{path} is append-only. The entries that were missing are back."]


def _plan_in(content: bytes | None) -> Any:
    """The content that was committed as the plan."""
    try:
        return json.loads(content or b"")
    except (ValueError, RecursionError):
        return None


def _kept_plan(attempt: Attempt, path: Path, legal: Legal) -> bytes:
    try:
        if read_plan(path) == legal.plan:
            return (text_of(path) or "").encode(errors="replace")
    except Unusable:
        pass
    keep_aside(attempt, path)
    return plan_text(legal.plan)


async def _committed(
    action: SettleStory, attempt: Attempt, repository: Repository, files: dict[str, bytes], *, was_legal: bool
) -> str:
    """The commit that holds these files. A killed attempt may have written them without committing."""
    at = await repository.look()
    tree, project = await read_tree(repository, at.head), attempt.run.project
    is_again = attempt.number > 1
    wrong = {
        name: content
        for name, content in files.items()
        if is_again or await tree.read(name) != content or text_of(project / name) != content.decode(errors="replace")
    }
    if not wrong:
        return at.head
    verb = "keep" if was_legal else "restore"
    message = f"ralph: {verb} {action.start.story or action.folder}\n"
    return await commit_files(repository, wrong, message, action.branch)
