"""Pushes a spec's branch with its proof notes, and opens or updates its pull request.

"Pushed" and "opened" are claims: each is made only after the reference was read back from where it went.
"""

from pathlib import Path

from msgspec import Struct

from ralph.app.proof.subjects import repository_at
from ralph.app.pull_requests.description import description, merged_into, title_of
from ralph.app.pull_requests.facts import gather
from ralph.app.pull_requests.prepare import Prepared, Wanted
from ralph.app.tasks.settings import load_for_spec
from ralph.app.trusted import refuse_changed_remotes
from ralph.git.hosts.base import Draft, Host, PullRequest
from ralph.git.notes import PROOF, push_notes
from ralph.git.remotes import Remote, push_commit, ref_at
from ralph.git.repository import Repository
from ralph.model.errors import StateError
from ralph.model.reviews import Review
from ralph.model.words import count
from ralph.store.projects import known_project
from ralph.store.sql import Store
from ralph.store.tasks import get_spec
from ralph.workbench.masking import masking


class Ready(Struct, frozen=True, kw_only=True):
    """The title and the description, and whether more than a draft may be opened."""

    title: str
    body: str
    is_draft: bool
    draft_reason: str
    """Why it is a draft, whether or not one was asked for; empty if it is none."""


class Published(Struct, frozen=True, kw_only=True, rename="camel"):
    spec: str
    branch: str
    base: str
    commit: str
    remote: str | None
    pushed: bool
    """Whether the branch was read back from the remote at this commit."""
    notes_pushed: bool
    """Whether the proof notes were read back from the remote; false if there are none."""
    action: str | None
    """`opened` or `updated`, once the pull request was read back; None if there is no program to open one with."""
    number: int | None
    url: str | None
    is_draft: bool
    draft_reason: str
    why_not: str
    """Why no pull request was opened, in a few words."""
    title: str
    description: str


async def written(
    store: Store, project: Path, prepared: Prepared, wanted: Wanted, review: Review | None, why_no_review: str = ""
) -> Ready:
    """The text of the pull request, without the secrets that this process knows."""
    repository = repository_at(project)
    name = known_project(store, project)
    settings = load_for_spec(project, get_spec(store, name, prepared.spec)).settings
    mask = masking(settings, project)
    facts = await gather(store, name, repository, prepared.spec, prepared.branch, review, mask)
    reason = draft_reason(prepared, wanted, review, why_no_review)
    return Ready(
        title=mask(title_of(facts)), body=mask(description(facts, reason)), is_draft=bool(reason), draft_reason=reason
    )


def draft_reason(prepared: Prepared, wanted: Wanted, review: Review | None, why_no_review: str) -> str:
    """Why only a draft may be opened: the whole branch has no SHIP. It is empty if more than a draft is allowed."""
    if prepared.open_tasks:
        number = len(prepared.open_tasks)
        return f"{count(number, 'task')} of the spec {'is' if number == 1 else 'are'} open"
    if review is None:
        return why_no_review or "there is no final review of the whole branch"
    if not review.ships:
        return "the final review asks for changes"
    return "asked for with --draft" if wanted.draft else ""


async def publish(store: Store, project: Path, prepared: Prepared, ready: Ready, wanted: Wanted) -> Published:
    """Publish the branch. Without a remote nothing is pushed; without a program for its host no pull request is
    opened.
    """
    remote, host = prepared.remote, prepared.host
    # A reviewer may have run since the preparation, and may have changed how git reaches remotes.
    refuse_changed_remotes(store, project)
    has_notes = await _push(repository_at(project), remote, prepared) if remote else False
    try:
        action, seen = await _open(host, prepared, ready, wanted) if host else (None, None)
    except StateError as error:
        raise StateError(f"{prepared.branch.name} is pushed, but {error.message}", error.hint) from None
    return Published(
        spec=prepared.spec,
        branch=prepared.branch.name,
        base=seen.base if seen else prepared.branch.base,
        commit=prepared.branch.commit,
        remote=remote.name if remote else None,
        pushed=remote is not None,
        notes_pushed=has_notes,
        action=action,
        number=seen.number if seen else None,
        url=seen.url if seen else None,
        is_draft=ready.is_draft,
        draft_reason=ready.draft_reason,
        why_not=prepared.why_no_host,
        title=ready.title,
        description=ready.body,
    )


async def _push(repository: Repository, remote: Remote, prepared: Prepared) -> bool:
    """Push the branch, then the notes. Returns whether there were notes to push."""
    await push_commit(repository, remote, prepared.branch.commit, prepared.branch.name)
    [ours] = await repository.resolve(PROOF)
    if not ours:
        return False
    try:
        await push_notes(repository, remote.name)
    except StateError as error:
        raise StateError(
            f"{prepared.branch.name} is pushed to {remote.shown}, but its proof notes are not: {error.message}",
            "Run the command again.",
        ) from None
    # Notes of others may have been merged into ours on the way.
    [ours] = await repository.resolve(PROOF)
    if await ref_at(repository, remote, PROOF) != ours:
        raise StateError(
            f"the proof notes are not at {remote.shown} after the push.",
            "Somebody else may be pushing notes: run the command again.",
        )
    return True


async def _open(host: Host, prepared: Prepared, ready: Ready, wanted: Wanted) -> tuple[str, PullRequest]:
    if prepared.existing:
        return "updated", await _updated(host, prepared.existing, ready, wanted)
    draft = Draft(
        head=prepared.branch.name,
        base=prepared.branch.base,
        title=ready.title,
        body=ready.body,
        is_draft=ready.is_draft,
    )
    await host.create(draft)
    found = next((each for each in await host.find(draft.head) if each.state == "open"), None)
    if found is None:
        raise StateError(
            f"{host.program} said that it opened a {host.called} of {draft.head}, but there is none.", "Try again."
        )
    return "opened", await _read_back(host, found.number, ready, draft.base)


async def _updated(host: Host, existing: PullRequest, ready: Ready, wanted: Wanted) -> PullRequest:
    before = await host.view(existing.number)
    base = wanted.base if wanted.base and wanted.base != before.base else None
    await host.update(existing.number, body=merged_into(before.body, ready.body), base=base)
    if before.is_draft != ready.is_draft:
        await host.set_draft(existing.number, is_draft=ready.is_draft)
    return await _read_back(host, existing.number, ready, base or before.base)


async def _read_back(host: Host, number: int, ready: Ready, base: str) -> PullRequest:
    """The pull request as the host has it now. It raises an error if that is not what was requested."""
    seen = await host.view(number)
    called = f"{host.named(number)} ({seen.url})"
    if seen.state != "open":
        raise StateError(f"{called} was {seen.state} in the meantime.", "See there why, before you try again.")
    if seen.base != base:
        raise StateError(f"{called} goes into {seen.base} and not into {base}.", "Try again.")
    if ready.is_draft and not seen.is_draft:
        raise StateError(
            f"{called} is not a draft, although it must be one: {ready.draft_reason}.",
            "Make it a draft by hand, if your plan has drafts.",
        )
    return seen
