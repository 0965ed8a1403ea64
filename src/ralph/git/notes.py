"""Proofs as git notes: attached to the commit that they are about, under a ref of their own."""

import secrets
import time
from collections.abc import Iterable, Mapping

from ralph.git.command import RESUME
from ralph.git.repository import Change, Repository
from ralph.model.errors import StateError
from ralph.workbench.bench import Ended

PROOF = "refs/notes/ralph-proof"
FETCHED = "refs/ralph/fetched-notes"
ROUNDS = 20
"""How many times others may add notes at the same moment."""
NOT_THERE = "couldn't find remote ref"
REJECTED = "rejected]"


async def write_note(repository: Repository, commit: str, data: bytes) -> None:
    """Write the commit's note, replacing an earlier one. All other notes stay, including those that others made."""
    for _ in range(ROUNDS):
        name, ours = await repository.resolve(f"{commit}^{{commit}}", f"{PROOF}^{{commit}}")
        if not name:
            raise StateError(f"there is no commit {commit} to add the proof to.", RESUME)
        if await _written(repository, ours, "", {name: data}):
            return
    raise _busy()


async def read_note(repository: Repository, commit: str) -> bytes | None:
    """The note of the commit; None if it has none."""
    name = await repository.commit_at(commit)
    blob = (await _notes(repository, PROOF)).get(name) if name else None
    found = await repository.objects.find(blob) if blob else None
    return found.content if found else None


async def read_notes(repository: Repository, commits: Iterable[str]) -> dict[str, bytes]:
    """The notes of these commits, by the full name of each. One without a note is left out."""
    known = await _notes(repository, PROOF)
    found: dict[str, bytes] = {}
    for commit in commits:
        blob = known.get(commit)
        note = await repository.objects.find(blob) if blob else None
        if note:
            found[commit] = note.content
    return found


async def fetch_notes(repository: Repository, remote: str = "") -> bool:
    """Add the remote's notes to the local ones. An existing note stays. Returns whether the remote has any.

    Without a name all remotes are asked, `origin` first, until one has notes. A remote that does not answer has none.
    """
    if remote:
        fetched, done = await _fetched(repository, remote)
        if done.code != 0 and NOT_THERE not in done.err:
            raise repository.git.failed("fetch", done)
        return fetched
    names = (await repository.git.ask("remote")).split()
    for name in sorted(names, key=lambda each: each != "origin"):
        if (await _fetched(repository, name))[0]:
            return True
    return False


async def push_notes(repository: Repository, remote: str) -> None:
    """Add the local notes to those of the remote, which all stay."""
    for _ in range(ROUNDS):
        done = await repository.git.run("push", "--quiet", "--no-verify", "--", remote, f"{PROOF}:{PROOF}")
        if done.code == 0:
            return
        if REJECTED not in done.err or not await _has_more(repository, remote):
            raise repository.git.failed("push", done)
    raise StateError(f"the notes of {remote} keep changing.", "Try again.")


async def _has_more(repository: Repository, remote: str) -> bool:
    """Whether the remote has notes that were not here. They are added."""
    before = await repository.resolve(PROOF)
    await fetch_notes(repository, remote)
    return before != await repository.resolve(PROOF)


async def _fetched(repository: Repository, remote: str) -> tuple[bool, Ended]:
    """Whether there were any notes, and what git said."""
    kept = f"{FETCHED}/{secrets.token_hex(4)}"
    flags = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
    done = await repository.git.run("fetch", *flags, "--", remote, f"+{PROOF}:{kept}")
    [theirs] = await repository.resolve(f"{kept}^{{commit}}") if done.code == 0 else [""]
    if theirs:
        try:
            await _merge(repository, theirs)
        finally:
            await repository.move(Change(kept, "", theirs))
    return bool(theirs), done


async def _merge(repository: Repository, theirs: str) -> None:
    for _ in range(ROUNDS):
        [ours] = await repository.resolve(f"{PROOF}^{{commit}}")
        base = await repository.merge_base(ours, theirs) if ours else ""
        if base == theirs:
            return
        if base == ours:
            # None of our notes is missing in theirs.
            merged = await repository.move(Change(PROOF, theirs, ours))
        else:
            known, more = await _notes(repository, ours), await _notes(repository, theirs)
            new = {commit: blob for commit, blob in more.items() if commit not in known}
            merged = await _written(repository, ours, theirs, new)
        if merged:
            return
    raise _busy()


async def _written(repository: Repository, ours: str, theirs: str, notes: Mapping[str, bytes | str]) -> bool:
    """Whether the notes were written before anyone else's. A note is its content, or a blob that is already stored.

    `git notes` is not used: it moves the ref wherever it is, and so loses what others add at the same moment.
    """
    lines = [
        f"commit {PROOF}\ncommitter {await repository.committer()} {int(time.time())} +0000\n".encode(),
        _data(b"ralph: merge notes" if theirs else b"ralph: proof"),
        *(f"{word} {commit}\n".encode() for word, commit in (("from", ours), ("merge", theirs)) if commit),
    ]
    for commit, note in notes.items():
        stored = f"N {note if isinstance(note, str) else 'inline'} {commit}\n".encode()
        lines += [stored, b"" if isinstance(note, str) else _data(note)]
    stream = b"".join([*lines, b"done\n"])
    done = await repository.git.run("fast-import", "--quiet", "--done", stdin=stream)
    if done.code == 0:
        return True
    [now] = await repository.resolve(f"{PROOF}^{{commit}}")
    if now != ours or await repository.is_freed(done):
        return False
    raise repository.git.failed("fast-import", done)


def _data(content: bytes) -> bytes:
    return f"data {len(content)}\n".encode() + content + b"\n"


async def _notes(repository: Repository, ref: str) -> dict[str, str]:
    """The blob of each commit's note. If there are many, git spreads them over folders."""
    if not (await repository.resolve(f"{ref}^{{commit}}"))[0]:
        return {}
    listed = await repository.git.records("ls-tree", "-r", "-z", "--full-tree", ref, wanted=bool)
    found: dict[str, str] = {}
    for record in listed:
        about, _, path = record.partition("\t")
        found[path.replace("/", "")] = about.split(" ")[2]
    return found


def _busy() -> StateError:
    return StateError(f"the notes under {PROOF} keep changing.", "Try again: ralph resume")
