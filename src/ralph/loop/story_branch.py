"""The branch of a story loop: checked out, continued after a kill, and left at the end."""

from collections.abc import Sequence

from ralph.git.checkout import HEADS, Checkout
from ralph.git.command import words_of
from ralph.git.repository import Change, Repository, drop_locks
from ralph.git.rollback import attempt_ref
from ralph.kernel.recipes.stories import NAME
from ralph.loop.context import Attempt
from ralph.model.errors import ConfigError
from ralph.plugin.hooks.scripts.active_loop import MARKER

RALPHS = (MARKER, ".ralph/")
"""The paths that are never the agent's work."""
AT_BRANCH = "stories-at-branch"
"""The key in `kept` of a process that has checked out the branch, or has seen that it is."""
AT_END = "stories-at-end"
"""The key in `kept` for what undoes changes since the last iteration, at the end of the loop."""
SHORT = 8
SHOWN = 5


async def uncommitted(repository: Repository, user_files: Sequence[str]) -> list[str]:
    """The files that differ from HEAD, without the user's own."""
    at = await repository.look()
    listed = await repository.git.at(at.top).records(
        *("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"), wanted=bool
    )
    names = [each[3:] for each in listed]
    return [name for name in names if not name.startswith(RALPHS) and name not in user_files]


async def back_after_a_break(
    repository: Repository, attempt: Attempt, branch: str, user_files: Sequence[str]
) -> list[str]:
    """Messages about the branch after a break. Each action that needs the branch calls it: the first one in a process
    that continues a loop finds what a killed agent or a person has left checked out.
    """
    run = attempt.run
    if run.kept.get(AT_BRANCH):
        return []
    run.kept[AT_BRANCH] = True
    at = await repository.look()
    drop_locks(at)
    if at.branch == branch:
        return []
    where = at.branch or at.head[:SHORT]
    if not await repository.commit_at(HEADS + branch):
        raise ConfigError(f"the branch {branch} of this loop is gone.", f"Restore it, then: ralph resume {run.run_id}")
    if left := await uncommitted(repository, user_files):
        raise ConfigError(
            f"{where} is checked out, and not everything is committed: {', '.join(left[:SHOWN])}.",
            f"Commit or stash it, then: git switch {branch} && ralph resume {run.run_id}",
        )
    kept = await _keep_detached(repository, at, attempt_ref(run.run_id, NAME, 0))
    await repository.git.at(at.top).ask("checkout", "--quiet", branch, "--")
    return [f"{where} was checked out. ralph checked out {branch} again.{kept}"]


async def _keep_detached(repository: Repository, at: Checkout, ref: str) -> str:
    """Keep commits that no branch holds under a ref."""
    if at.branch:
        return ""
    [there] = await repository.resolve(ref)
    await repository.move(Change(ref, at.head, there))
    return f" Its commits are kept: {ref}."


async def gone_back(repository: Repository, branch: str, wanted: str, user_files: Sequence[str]) -> str:
    """What is checked out at the end of a loop that returns to the old branch, in words."""
    at = await repository.look()
    if at.branch == wanted or at.branch != branch:
        return f"{at.branch or at.head[:SHORT]} is checked out."
    if left := await uncommitted(repository, user_files):
        return f"{branch} stays checked out: not everything is committed: {', '.join(left[:SHOWN])}"
    done = await repository.git.at(at.top).run("checkout", "--quiet", wanted, "--")
    if done.code != 0:
        return f"{branch} stays checked out: {words_of(done)}"
    return f"Went back to {wanted}."
