"""Where a story loop works: its plan, its branch, and what is not committed."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from ralph.git.branch_tip import branch_tip
from ralph.git.checkout import HEADS, Checkout
from ralph.git.repository import Repository
from ralph.git.trees import read_tree
from ralph.git.worktree import BETWEEN
from ralph.kernel.recipes.stories import NAME
from ralph.loop.story_marker import living_loop
from ralph.loop.story_plan import IGNORE, PLAN_NAMES, TASKS, Unusable, ignores_marker_newly, plan_in, read_plan, text_of
from ralph.model.errors import ConfigError
from ralph.model.tasks import BRANCHES
from ralph.plugin.hooks.scripts.active_loop import MARKER
from ralph.store.projects import find_project
from ralph.store.runs import list_runs
from ralph.store.sql import Store
from ralph.store.tasks import specs_of
from ralph.workbench.bench import Workbench

SHOWN = 5
LOOKED_THROUGH = 200


def plan_at(project: Path, folder: str) -> dict[str, Any]:
    path = project / folder / TASKS
    try:
        return read_plan(path)
    except Unusable as problem:
        begin = "Start with: ralph prd init. If another branch has the plan, change to that: git switch BRANCH"
        hint = "Fix it, or have it planned: ralph prd plan" if os.path.lexists(path) else begin
        raise ConfigError(f"{folder}/{TASKS}: {problem}", hint) from None


def refuse_links(project: Path, folder: str) -> None:
    """Refuse a plan whose files are links: ralph follows none, so it would read an empty file, and replace the link."""
    for name in PLAN_NAMES:
        if (project / folder / name).is_symlink():
            raise ConfigError(
                f"{folder}/{name} is a link, and the files of a plan are read without following any.",
                "Put a copy of the file there instead of the link.",
            )


def repository_of(project: Path) -> Repository:
    return Repository(Workbench(project, os.environ, "look"))


def refuse_living(project: Path) -> None:
    if pid := living_loop(project):
        raise ConfigError(f"a story loop runs here already (pid {pid}).", "Watch it: ralph status --watch")


def refuse_unsettled(store: Store, project: Path) -> None:
    """Refuse a plan that the agent of an interrupted loop left unchecked: it must not count as the user's."""
    known = find_project(store, project)
    runs = list_runs(store, project=known.id, limit=LOOKED_THROUGH) if known else []
    last = next((run for run in runs if run.recipe == NAME), None)
    if last and last.status == "interrupted":
        raise ConfigError(
            f"the last story loop here, {last.id}, was interrupted, and nobody has checked what its agent left.",
            f"Continue it: ralph resume {last.id}. To use the plan as it is: ralph cancel {last.id}",
        )


class Ground(NamedTuple):
    dirty: tuple[str, ...]
    """The user's files that are not committed."""
    checked_out: str
    """The branch, or the commit if no branch is checked out."""
    plan: dict[str, Any] | None = None
    """The plan that counts, if the branch exists and has its own."""


def refuse_branch_of_spec(store: Store, project: Path, branch: str) -> None:
    known = find_project(store, project)
    for spec in specs_of(store, known.id) if known else []:
        own = BRANCHES + spec.id
        if branch == own or branch.startswith(own + BETWEEN):
            raise ConfigError(
                f"the branch {branch} is in use by the spec {spec.id}.", "Change branchName in the plan to another one."
            )


async def look_at_ground(project: Path, branch: str, folder: str, *, allow_dirty: bool) -> Ground:
    """The ground. It raises a ConfigError if the loop could not work."""
    refuse_living(project)
    repository = repository_of(project)
    at = await repository.require()
    if at.prefix:
        raise ConfigError(
            f"{project} is a part of the repository {at.top}.", f"Run it there: ralph prd run -d {at.top}"
        )
    named = await repository.git.run("check-ref-format", "--branch", branch)
    if named.code != 0 or named.text != branch or branch in ("@", "HEAD") or branch.startswith("-"):
        raise ConfigError(f"branchName {branch!r} is not a valid name for a branch.", "Change it in the plan.")
    await _refuse_taken(repository, branch, at)
    refuse_links(project, folder)
    dirty = await _uncommitted(repository, at, project, folder)
    if dirty and not allow_dirty:
        listed = ", ".join(dirty[:SHOWN])
        raise ConfigError(
            f"not everything is committed: {listed}.", "Commit or stash it, or leave it out with --allow-dirty."
        )
    if dirty and at.branch != branch and await repository.commit_at(HEADS + branch):
        raise ConfigError(
            f"with --allow-dirty {branch} must be checked out already, or new.",
            f"Change to it first: git switch {branch}",
        )
    other = None if at.branch == branch else await _plan_on(repository, project, branch, folder)
    return Ground(dirty, at.branch or at.head, other)


async def _plan_on(repository: Repository, project: Path, branch: str, folder: str) -> dict[str, Any] | None:
    """The plan on an existing branch. One that is only here and not committed would be lost."""
    if not await repository.commit_at(HEADS + branch):
        return None
    there, here = [await read_tree(repository, each) for each in (HEADS + branch, "HEAD")]
    for name in (f"{folder}/{each}" for each in PLAN_NAMES):
        text, theirs = text_of(project / name), await there.read(name)
        is_new = text is not None and text.encode(errors="replace") != await here.read(name)
        if is_new and theirs is not None and text != theirs.decode(errors="replace"):
            raise ConfigError(
                f"{name} is not committed here, and the branch {branch} has another version, which counts.",
                f"Move yours away and change to the branch (git switch {branch}), or change branchName in the plan.",
            )
    content = await there.read(f"{folder}/{TASKS}")
    try:
        return plan_in(content) if content is not None else None
    except Unusable as problem:
        raise ConfigError(f"{folder}/{TASKS} on {branch}: {problem}", f"Fix it there: git switch {branch}") from None


async def _refuse_taken(repository: Repository, branch: str, at: Checkout) -> None:
    if at.branch == branch:
        return
    tip = await branch_tip(repository, branch)
    if not tip.commit:
        await _refuse_in_the_way(repository, branch)
    holder = tip.holder
    if holder and _is_there(holder):
        raise ConfigError(
            f"the branch {branch} is checked out in {holder}.", "Run the loop there, or change branchName in the plan."
        )


async def _refuse_in_the_way(repository: Repository, branch: str) -> None:
    """Refuse a branch name that is in conflict: git cannot have a branch below another one."""
    above = [branch[:place] for place, letter in enumerate(branch) if letter == "/"]
    listed = await repository.git.ask("for-each-ref", "--format=%(refname:lstrip=2)", f"{HEADS}{branch}/")
    there = [each for each in above if await repository.commit_at(HEADS + each)] + listed.split("\n")
    if there[0]:
        raise ConfigError(
            f"there is a branch {there[0]}, so git cannot have one named {branch}.", "Change branchName in the plan."
        )


def _is_there(path: str) -> bool:
    return Path(path).exists()


async def _uncommitted(repository: Repository, at: Checkout, project: Path, folder: str) -> tuple[str, ...]:
    listed = await repository.git.at(at.top).records(
        *("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"), wanted=bool
    )
    plan = {MARKER, *(f"{folder}/{name}" for name in PLAN_NAMES)}
    names = [each[3:] for each in listed]
    if IGNORE in names and ignores_marker_newly(project, await (await read_tree(repository, "HEAD")).read(IGNORE)):
        plan.add(IGNORE)
    return tuple(name for name in names if name not in plan and not name.startswith(".ralph/"))
