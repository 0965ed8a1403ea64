"""Which commit a user means, and at which commit its work began."""

from ralph.git.checkout import HASH
from ralph.git.delivered import TASK
from ralph.git.repository import Repository

MAIN = ("@{upstream}", "main", "master", "origin/HEAD", "origin/main", "origin/master")
"""The names of the branches where work usually begins."""

LOOKED_THROUGH = 100
"""How many commits before one are searched for the start of its work."""


async def commit_of_task(repository: Repository, task: str) -> str:
    """The newest commit on any branch that says it is the work of this task; empty if there is none."""
    trailers = f"%(trailers:key={TASK},valueonly,separator=%x00)"
    everywhere = ("HEAD", "--branches", "--remotes")
    chosen = ("--date-order", "--fixed-strings", f"--grep={TASK}: {task}", *everywhere, "--")
    listed = await repository.git.ask("log", f"--format=%H%x00{trailers}", *chosen)
    for line in listed.splitlines():
        commit, _, tasks = line.partition("\0")
        if task in tasks.split("\0"):
            return commit
    return ""


async def named_commit(repository: Repository, name: str) -> str:
    """The commit that a person names in any way that git knows, such as `@{upstream}` or `main~2`; empty if there is
    none.
    """
    wanted = ("--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    done = await repository.git.run("rev-parse", *wanted)
    return done.text if done.code == 0 and HASH.fullmatch(done.text) else ""


async def parent_of(repository: Repository, commit: str) -> str:
    """The first parent; empty if there is none."""
    return await repository.commit_at(f"{commit}^")


async def is_shallow(repository: Repository) -> bool:
    """Whether the clone has only a part of the history."""
    return (await repository.git.run("rev-parse", "--is-shallow-repository")).text == "true"


async def commit_with_tree(repository: Repository, base: str, commit: str) -> str:
    """The newest commit before `commit` whose tree is `base`; empty if there is none."""
    if not commit:
        return ""
    chosen = ("--first-parent", f"--max-count={LOOKED_THROUGH}", f"{commit}~1", "--")
    done = await repository.git.run("log", "--format=%H %T", *chosen)
    listed = (line.split() for line in done.text.splitlines()) if done.code == 0 else ()
    return next((each for each, tree in listed if tree == base), "")


async def branch_point(repository: Repository, commit: str) -> str:
    """The commit where this branch left the upstream, main or master; empty for a commit on those."""
    for name in MAIN:
        there = await named_commit(repository, name)
        base = await repository.merge_base(commit, there) if there else ""
        if base and base != commit:
            return base
    return ""


async def default_base(repository: Repository, commit: str) -> str:
    """The commit where this branch left the upstream, main or master; for a commit on those its parent."""
    return await branch_point(repository, commit) or await parent_of(repository, commit)


async def messages_between(repository: Repository, base: str, commit: str) -> str:
    """The messages of the commits after `base` up to `commit`, the newest first; only the beginning if they are very
    long.
    """
    done = await repository.git.run("log", "--format=%B", f"{base}..{commit}", "--")
    return done.text
