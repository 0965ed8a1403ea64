"""What is needed before a pull request is opened: the branch, its target, and whether there already is one."""

from pathlib import Path

from msgspec import Struct

from ralph.app.inside_run import refuse_inside_run
from ralph.app.proof.subjects import repository_at
from ralph.app.pull_requests.facts import Branch
from ralph.app.pull_requests.final_review import standing_review
from ralph.app.tasks.dependencies import did_you_mean
from ralph.app.trusted import refuse_changed_remotes
from ralph.git.branch_tip import BranchTip, branch_tip
from ralph.git.fork_point import nearest_base
from ralph.git.hosts.base import Host, PullRequest
from ralph.git.hosts.choose import host_of
from ralph.git.remotes import Remote, RemoteBranches, branches_of, chosen_remote, fetch_commit
from ralph.git.repository import Repository
from ralph.kernel.task_rules import shown
from ralph.model.errors import ConfigError
from ralph.model.reviews import Review
from ralph.model.tasks import BRANCHES, DONE
from ralph.store.projects import known_project
from ralph.store.sql import Store
from ralph.store.tasks import get_spec, tasks_of

COMMAND = "spec pr"


class Wanted(Struct, frozen=True, kw_only=True):
    """What a person says about a pull request."""

    draft: bool = False
    base: str | None = None
    remote: str | None = None
    into: str | None = None
    """The remote to open it in, if the branch is pushed to a fork of that."""
    again: bool = False
    """Whether to open a new one although an earlier one was closed or merged."""


class Prepared(Struct, frozen=True, kw_only=True):
    """Everything that is known before anything is pushed."""

    spec: str
    branch: Branch
    remote: Remote | None
    """The remote; None if the repository has none."""
    host: Host | None
    why_no_host: str
    existing: PullRequest | None
    """The open pull request that will be updated."""
    open_tasks: tuple[str, ...]
    review: Review | None
    """The final review of the branch as it is now."""

    @property
    def needs_review(self) -> bool:
        """Whether a final review is needed. While tasks are open, there is no whole to review."""
        return self.review is None and not self.open_tasks


async def prepare(store: Store, project: Path, spec_id: str, wanted: Wanted) -> Prepared:
    """Prepare a pull request. It raises a ConfigError if there is nothing to open, or if an earlier pull request has
    ended.
    """
    refuse_inside_run(COMMAND)
    name = known_project(store, project)
    spec = get_spec(store, name, spec_id)
    repository = repository_at(project)
    at = await repository.require()
    branch_name = f"{BRANCHES}{spec.id}"
    tip = await branch_tip(repository, branch_name)
    if not tip.commit:
        raise ConfigError(f"spec {spec.id} has no branch {branch_name} yet.", f"Run it: ralph spec run {spec.id}")
    remote = await chosen_remote(repository, wanted.remote)
    if remote is None:
        branch = await _branch_here(repository, branch_name, tip, wanted.base or at.branch)
        host, why, existing = None, "there is no remote", None
    else:
        refuse_changed_remotes(store, project)
        target = await chosen_remote(repository, wanted.into) if wanted.into else None
        target = target or remote
        there = await branches_of(repository, target)
        host, why = await host_of(project, target, remote)
        found = await host.find(branch_name) if host else []
        existing = next((each for each in found if each.state == "open"), None)
        if host and found and not existing and not wanted.again:
            _refuse_ended(host, found[0], spec.id, tip.commit)
        base = wanted.base or (existing.base if existing else "")
        base = base or await nearest_base(repository, target, there, tip.commit, at.branch)
        branch = await _branch(repository, target, there, branch_name, tip, base)
    return Prepared(
        spec=spec.id,
        branch=branch,
        remote=remote,
        host=host,
        why_no_host=why,
        existing=existing,
        open_tasks=tuple(each.id for each in tasks_of(store, name, spec.id) if each.status not in DONE),
        review=standing_review(store, name, spec.id, branch),
    )


def _refuse_ended(host: Host, ended: PullRequest, spec: str, commit: str) -> None:
    """Refuse to write to a pull request that was closed or merged."""
    called = f"{host.named(ended.number)} of ralph/{spec}"
    another = f"ralph spec pr {spec} --again"
    if ended.state == "merged":
        rest = "" if ended.commit in ("", commit) else ", and the branch has moved on since"
        raise ConfigError(f"{called} was merged{rest}: {ended.url}.", f"Open another one for the branch: {another}")
    raise ConfigError(
        f"{called} was closed: {ended.url}.",
        f"Open it again: {host.reopening(ended.number)}; or another one: {another}",
    )


async def _branch(
    repository: Repository, remote: Remote, there: RemoteBranches, name: str, tip: BranchTip, base: str
) -> Branch:
    if not base:
        raise ConfigError(f"{remote.shown} has no branch to open a pull request against.", "Name one: --base BRANCH")
    if base not in there.heads:
        hint = f"{did_you_mean(base, there.heads)}Name one of its branches: --base BRANCH"
        raise ConfigError(f"{remote.shown} has no branch {shown(base)}.", hint)
    commit = await repository.commit_at(there.heads[base])
    if not commit:
        await fetch_commit(repository, remote, base)
        commit = await repository.commit_at(there.heads[base])
    return await _compared(repository, name, tip, base, commit)


async def _branch_here(repository: Repository, name: str, tip: BranchTip, base: str) -> Branch:
    commit = await repository.commit_at(base) if base else ""
    if not commit:
        raise ConfigError(f"there is no branch {shown(base)} to compare with.", "Name one: --base BRANCH")
    return await _compared(repository, name, tip, base, commit)


async def _compared(repository: Repository, name: str, tip: BranchTip, base: str, commit: str) -> Branch:
    fork = await repository.merge_base(commit, tip.commit) if commit else ""
    if not fork:
        raise ConfigError(f"{name} and {base} have no commit in common.", "Name another base: --base BRANCH")
    if fork == tip.commit:
        raise ConfigError(f"{base} has all of {name} already.", "There is nothing to open a pull request for.")
    return Branch(name=name, commit=tip.commit, tree=tip.tree, base=base, fork=fork)
