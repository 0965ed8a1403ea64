"""Performing the actions of a story loop: its branch, its plan, and what each iteration leaves behind."""

from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ralph.checks.proof.programs import programs_of
from ralph.git.checkout import HEADS
from ralph.git.own_commits import back_where_left, commit_files
from ralph.git.repository import Repository
from ralph.git.rules import record_rules
from ralph.git.trees import read_tree
from ralph.kernel.actions.stories import (
    BeginStory,
    BegunStory,
    EditedPlan,
    EditPlan,
    OpenedStories,
    OpenStories,
)
from ralph.loop.agent import PREPARED
from ralph.loop.context import Attempt
from ralph.loop.story_base import earlier_base
from ralph.loop.story_branch import AT_BRANCH, AT_END, back_after_a_break, uncommitted
from ralph.loop.story_marker import remove_marker, write_marker
from ralph.loop.story_plan import (
    IGNORE,
    PLAN_NAMES,
    PROGRESS,
    TASKS,
    Unusable,
    approved_at_cap,
    ignores_marker_newly,
    plan_text,
    prompt_text,
    read_plan,
    text_of,
    with_stories,
)
from ralph.loop.story_settling import LEFT, PAUSES, keep_aside
from ralph.model.errors import Blocked, ConfigError
from ralph.plugin.hooks.scripts.story_rules import (
    CHANGES_REQUESTED,
    iteration_mode,
    next_story,
    snapshot,
    users_part,
)
from ralph.store.control import heard

SHORT = 8


async def open_stories(action: OpenStories, attempt: Attempt) -> OpenedStories:
    repository = attempt.repository()
    at = await repository.require()
    told: list[str] = []
    exists = bool(await repository.commit_at(HEADS + action.branch))
    if at.branch != action.branch:
        argv = ("checkout", "--quiet", action.branch, "--") if exists else ("checkout", "--quiet", "-b", action.branch)
        await repository.git.ask(*argv)
        told.append(
            f"{'continued on' if exists else 'created'} the branch {action.branch}, from {at.branch or at.head[:SHORT]}"
        )
    attempt.run.kept[AT_BRANCH] = True
    tip = (await repository.look()).head
    base = await earlier_base(repository, attempt.run, action.branch, tip) if exists else ""
    plan = _plan(attempt.run.project / action.folder)
    taken = await _take_over(repository, action, attempt, f"ralph: plan {plan['project'] or action.branch}\n")
    told += [f"committed the plan: {', '.join(taken)}"] if taken else []
    now = await repository.look()
    base = base or await repository.merge_base(at.head, now.head) or now.head
    commands: list[str] = plan.get("verifyCommands") or []
    programs = programs_of(tuple(commands), attempt.bench.env)
    attempt.run.kept[PAUSES] = len(heard(attempt.run.store, attempt.run.run_id, "go"))
    rules = replace(await record_rules(repository, base), prepares_on=base)
    return OpenedStories(base, now.head, plan, tuple(told), programs, rules)


async def begin_story(action: BeginStory, attempt: Attempt) -> BegunStory:
    run, folder = attempt.run, attempt.run.project / action.folder
    repository, told = attempt.repository(), list[str]()
    told += await back_after_a_break(repository, attempt, action.branch, action.user_files)
    if _may_be_a_persons(attempt):
        taken = await _take_over(repository, action, attempt, "ralph: accept what was changed by hand\n")
        told += [f"accepted what was changed by hand: {', '.join(taken)}"] if taken else []
    else:
        told += await _put_back(repository, action, attempt)
    plan = _plan(folder)
    mode = iteration_mode(plan, action.skip_review)
    story = next_story(plan, mode, action.skip_review)
    write_marker(
        run.project,
        run.run_id,
        backend=run.confinement(run.agent(), run.project).name,
        ralphDir=action.folder,
        max_iterations=action.limit,
        iteration=action.iteration,
        skipReview=action.skip_review,
        reviewCap=action.cap,
        iterationMode=mode,
        preIterationSnapshot=snapshot(plan),
        users=users_part(plan),
        userFiles=list(action.user_files),
    )
    if not run.kept.get("marker"):
        run.kept["marker"] = True
        run.at_end.append(_remover(run.project))
    run.kept[PREPARED] = action.iteration
    # From here on an agent works: what it leaves is settled, and not undone.
    run.kept.pop(LEFT, None)
    run.kept[AT_END] = partial(_put_back_at_end, repository, action, attempt)
    at = await repository.look()
    dirty = await uncommitted(repository, action.user_files)
    return BegunStory(
        mode,
        story["id"] if story else "",
        at.head,
        plan,
        prompt_text(folder, action.iteration, action.limit),
        tuple(dirty),
        tuple(told),
    )


async def edit_plan(action: EditPlan, attempt: Attempt) -> EditedPlan:
    repository, folder = attempt.repository(), attempt.run.project / action.folder
    await back_after_a_break(repository, attempt, action.branch, action.user_files)
    if not _may_be_a_persons(attempt):
        await _put_back(repository, action, attempt)
    plan, names = _plan(folder), ", ".join(action.stories)
    if action.what == "block" and attempt.number == 1:
        raise Blocked(
            f"{names}: the review cap is reached, and the verify commands fail: {action.text[:500]}",
            f"Fix it, or change the plan by hand. Then continue: ralph resume {attempt.run.run_id}",
        )
    if action.what == "block":
        return EditedPlan(plan, (await repository.look()).head)
    change = approved_at_cap(action.text) if action.what == "approve-at-cap" else sent_back(action)
    made = with_stories(plan, action.stories, change)
    words = "approve at the cap" if action.what == "approve-at-cap" else "send back"
    files = {f"{action.folder}/{TASKS}": plan_text(made)}
    head = attempt.run.kept[LEFT] = await commit_files(repository, files, f"ralph: {words} {names}\n", action.branch)
    return EditedPlan(made, head)


def sent_back(action: EditPlan) -> Any:
    def change(_story: dict[str, Any]) -> dict[str, Any]:
        status = {} if action.skip_review else {"reviewStatus": CHANGES_REQUESTED}
        return {"passes": False, "reviewFeedback": action.text, **status}

    return change


def _plan(folder: Path) -> dict[str, Any]:
    try:
        return read_plan(folder / TASKS)
    except Unusable as problem:
        raise ConfigError(f"{folder / TASKS}: {problem}", "Fix the plan, then: ralph resume") from None


def _may_be_a_persons(attempt: Attempt) -> bool:
    """Whether a person may have changed the plan: between runs, and while a loop is paused. Otherwise only an agent
    could.
    """
    run = attempt.run
    words = [each.said for each in heard(run.store, run.run_id, "go", "pause")]
    was_paused = words[-1:] == ["pause"] or words.count("go") != run.kept.get(PAUSES)
    return not run.kept.get(LEFT) or was_paused


async def _take_over(
    repository: Repository, action: OpenStories | BeginStory, attempt: Attempt, message: str
) -> list[str]:
    """The plan's files that were not committed as they are. They are committed now."""
    files = await _uncommitted_plan(repository, action.folder, attempt.run.project)
    if files:
        await commit_files(repository, files, message, action.branch)
    return sorted(files)


async def _uncommitted_plan(repository: Repository, folder: str, project: Path) -> dict[str, bytes]:
    tree = await read_tree(repository, "HEAD")
    names = [f"{folder}/{name}" for name in PLAN_NAMES]
    names += [IGNORE] if ignores_marker_newly(project, await tree.read(IGNORE)) else []
    found: dict[str, bytes] = {}
    for name in names:
        text = text_of(project / name)
        if text is not None and text.encode(errors="replace") != await tree.read(name):
            found[name] = text.encode(errors="replace")
    return found


async def _put_back(repository: Repository, action: BeginStory | EditPlan, attempt: Attempt) -> list[str]:
    """Undo changes between two iterations. Nobody works then, so something that an agent left behind made them, such as
    a check that it wrote.
    """
    project, run = attempt.run.project, attempt.run
    moved = await back_where_left(repository, action.branch, run.kept[LEFT], run.run_id, action.iteration)
    told = [moved] if moved else []
    found = await _uncommitted_plan(repository, action.folder, project)
    tree = await read_tree(repository, "HEAD")
    guarded = [name for name in found if not name.endswith((PROGRESS, IGNORE))]
    files = {name: content for name in guarded if (content := await tree.read(name)) is not None}
    if not files:
        return told
    for name in files:
        keep_aside(attempt, project / name)
    await commit_files(repository, files, "ralph: restore the plan\n", action.branch)
    return [*told, f"restored what was changed between two iterations: {', '.join(files)}"]


async def _put_back_at_end(repository: Repository, action: BeginStory, attempt: Attempt) -> list[str]:
    """Undo what a check did to the plan, because the next loop takes everything it finds for the user's."""
    return [] if _may_be_a_persons(attempt) else await _put_back(repository, action, attempt)


def _remover(project: Path) -> Any:
    async def remove() -> None:
        remove_marker(project)

    return remove
