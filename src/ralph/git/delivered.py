"""The tasks that were delivered to a branch, according to the trailers of its commits."""

import re
from typing import NamedTuple

from ralph.git.repository import Repository

TASK, RUN = "Ralph-Task", "Ralph-Run"
LINE = re.compile(r"([0-9a-f]{40,})\x00(.*)")


async def delivered_tasks(repository: Repository, branch: str) -> dict[str, str]:
    """The latest commit of each task on the branch; empty if there is no such branch."""
    tip = await repository.commit_at(f"refs/heads/{branch}")
    if not tip:
        return {}
    trailers = f"%(trailers:key={TASK},valueonly,separator=%x1f)"
    listed = bytearray()
    arguments = ("log", f"--format=%H%x00{trailers}", "--fixed-strings", f"--grep={TASK}: ", tip, "--")
    done = await repository.git.run(*arguments, sink=listed.extend)
    if done.code != 0:
        raise repository.git.failed("log", done)
    found: dict[str, str] = {}
    for line in listed.decode(errors="replace").splitlines():
        if told := LINE.fullmatch(line):
            for task in told[2].split("\x1f"):
                found.setdefault(task.strip(), told[1])
    return found


class ForeignCommit(NamedTuple):
    """A commit on a spec's branch that no task delivered."""

    commit: str
    subject: str
    author: str


async def foreign_commits(
    repository: Repository, base: str, tip: str, *, first_parent: bool = False
) -> list[ForeignCommit]:
    """The commits in `tip` but not in `base` that name no task, because people made them; the newest first.

    With `first_parent` a merge counts once, whatever it contains.
    """
    listed = bytearray()
    form = f"%H%x00%s%x00%an%x00%(trailers:key={TASK},valueonly,separator=%x1f)"
    chosen = (*(("--first-parent",) if first_parent else ()), f"{base}..{tip}", "--")
    done = await repository.git.run("log", "-z", f"--format={form}", *chosen, sink=listed.extend)
    if done.code != 0:
        raise repository.git.failed("log", done)
    fields = listed.decode(errors="replace").split("\0")
    lines = zip(fields[::4], fields[1::4], fields[2::4], fields[3::4], strict=False)
    return [ForeignCommit(commit, subject, author) for commit, subject, author, tasks in lines if not tasks.strip()]


class OwnCommit(NamedTuple):
    """A commit of a task on its spec's branch."""

    commit: str
    tree: str
    parent: str
    run: str
    """The run that made the commit; empty if its message does not say."""


async def commits_of(repository: Repository, task: str, tip: str, *, since: str = "") -> list[OwnCommit]:
    """The task's commits in `tip` but not in `since`, the newest first."""
    told = "".join(f"%x00%(trailers:key={key},valueonly,separator=%x1f)" for key in (TASK, RUN))
    chosen = ("--fixed-strings", f"--grep={TASK}: {task}", f"{since}..{tip}" if since else tip, "--")
    listed = await repository.git.ask("log", f"--format=%H %T %P{told}", *chosen)
    found: list[OwnCommit] = []
    for line in listed.splitlines():
        hashes, tasks, runs = line.split("\0")
        commit, tree, *parents = hashes.split()
        if parents and task in tasks.split("\x1f"):
            found.append(OwnCommit(commit, tree, parents[0], runs))
    return found
