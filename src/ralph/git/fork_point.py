"""The branch of a remote at which the work on another branch began."""

from ralph.git.checkout import HEADS
from ralph.git.remotes import Remote, RemoteBranches
from ralph.git.repository import Repository
from ralph.model.tasks import BRANCHES


async def nearest_base(
    repository: Repository, remote: Remote, there: RemoteBranches, tip: str, checked_out: str
) -> str:
    """The branch of the remote that has the commit at which the work left all others.

    If there are several, it is the one that is checked out here, or else the remote's default branch. It is empty if
    nothing is known.
    """
    heads = {name: commit for name, commit in there.heads.items() if not name.startswith(BRANCHES)}
    known = [
        commit for commit in await repository.resolve(*(f"{each}^{{commit}}" for each in heads.values())) if commit
    ]
    listed = await repository.git.run("rev-list", "--boundary", tip, "--not", *known, "--")
    # The boundary is the beginning of the work: commits of other branches.
    starts = [line[1:] for line in listed.text.splitlines() if line.startswith("-")]
    found = [await _branches_with(repository, remote, start) & heads.keys() for start in starts]
    anywhere = {name for names in found for name in names}
    candidates = {name for name in anywhere if all(name in names for names in found)} or anywhere
    for name in (checked_out, there.default):
        if name in candidates:
            return name
    if candidates:
        return min(candidates)
    return there.default if there.default in heads else ""


async def _branches_with(repository: Repository, remote: Remote, commit: str) -> set[str]:
    """The branches that have this commit, here or on the remote when it was last asked."""
    tracking = f"refs/remotes/{remote.name}/"
    listed = await repository.git.ask("for-each-ref", f"--contains={commit}", "--format=%(refname)", tracking, HEADS)
    return {ref.removeprefix(tracking).removeprefix(HEADS) for ref in listed.splitlines()}
