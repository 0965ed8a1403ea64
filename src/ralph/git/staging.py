"""Staging everything that belongs to the work, without ralph's own state and the files lent to the worktree."""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from ralph.git.checkout import Checkout
from ralph.git.command import Git
from ralph.git.folders import anything_at
from ralph.store.state_dir import NAME, STATE

EVERYTHING = ":/"
OWN = tuple(f"**/{NAME}/{name}{'**' if name.endswith('/') else ''}" for name in (".gitignore", *STATE))
OWN_STATE = tuple(f":(top,glob){pattern}" for pattern in OWN)
NOT_OWN_STATE = tuple(f":(top,exclude,glob){pattern}" for pattern in OWN)
NOTHING_LENT = [EVERYTHING, *NOT_OWN_STATE]
OWN_FOLDER = f"{NAME}/".encode()
LENT = "ralph-lent"
"""The name of a file in the worktree's git directory: it lists the files that ralph copied, each terminated by NUL."""
PLACEHOLDER = ".ralph-placeholder"
ALSO_IGNORED = "The following paths are ignored by one of your .gitignore files"
COMPLAINT = re.compile("^(fatal|error): ", re.MULTILINE)
BY_NAME = ("update-index", "--add", "--remove", "-z", "--stdin")
USUAL = (b"H 100", b"H 120")
"""The beginning of the record of a file or a link that needs no attention."""
LISTING = ("ls-files", "-z", "-v", "--stage", "--others", "--modified", "--deleted", "--exclude-standard")
DIFFERENCES = ("diff-index", "--cached", "--name-only", "-z", "--ignore-submodules=none")


class StagedWork(Struct, frozen=True):
    """The result of staging the whole work."""

    changed: bool
    """Whether the work differs from what is checked out."""
    uncovered: tuple[str, ...] = ()
    """Files with a change that git was told not to look at."""
    paths: tuple[str, ...] = ()
    """All files that differ from the checked-out commit, if there is one. One that changed back meanwhile may be among
    them."""


class Flags(NamedTuple):
    """The files that git was told not to look at."""

    skipped: Sequence[str] = ()
    """Files that a sparse checkout skips: they need not exist."""
    unchanged: Sequence[str] = ()
    """Files that git assumes to be unchanged."""


class Known(NamedTuple):
    """What the caller knows better than the index and the git directory."""

    lent: Sequence[str] | None = None
    """The files that ralph copied into the worktree."""
    flags: Flags = Flags()
    """The flags in the index that is not used."""
    overlooked: Collection[str] = ()
    """Files with a flag that the user set."""
    is_unread: bool = False
    """Whether the index does not know any file's time yet, so that git must read them all."""
    holds: str = ""
    """The tree that the index holds; empty if that is not known."""


NOTHING_BETTER = Known()


async def stage(git: Git, at: Checkout, env: Mapping[str, str], known: Known = NOTHING_BETTER) -> StagedWork:
    """Stage the work into the index that `env` names. `git` works at the top."""
    left_out = {os.fsencode(name) for name in known.flags.skipped}
    seen = await _look(git, env, left_out)
    if seen.left_out:
        await _mark(git, env, "--skip-worktree", seen.left_out)
    if seen.hidden:
        # What is verified is what is there, so an agent must not keep a part of it from being committed.
        await _mark(git, env, "--no-assume-unchanged", seen.hidden)
        await _mark(git, env, "--no-skip-worktree", seen.hidden)
    watched = {*seen.hidden, *known.flags.skipped, *known.flags.unchanged} - {*known.overlooked}
    unusual = seen.hidden or seen.left_out or (seen.changed and known.is_unread)
    is_plain = not watched and bool(known.holds) and known.holds == at.tree
    if await _open_embedded(git, env, seen) or unusual:
        await _add_all(git, env, whole_work(at, known.lent))
        is_plain = False
    elif seen.changed:
        is_plain &= await _add(git, env, seen.changed, whole_work(at, known.lent))
    if is_plain:
        # Only what was seen differs from the commit.
        return StagedWork(bool(seen.changed), paths=tuple(sorted(map(os.fsdecode, seen.changed))))
    if not at.head:
        return StagedWork(changed=True)
    found = await _differences(git, at.head, env, watched)
    if found.own_state:
        # An agent added it by force.
        await git.ask("reset", "--quiet", at.head, "--", *OWN_STATE, env=env)
        found = await _differences(git, at.head, env, watched)
    return StagedWork(bool(found.paths), tuple(sorted(found.watched)), tuple(found.paths))


async def flagged(git: Git) -> Flags:
    """The flags in the index of the working tree itself."""
    skipped: list[str] = []
    unchanged: list[str] = []

    def take(record: bytes) -> bool:
        tag, _, name = record.partition(b" ")
        if tag in (b"S", b"s"):
            skipped.append(os.fsdecode(name))
        elif tag.islower():
            unchanged.append(os.fsdecode(name))
        return False

    await git.records("ls-files", "-z", "-v", wanted=take)
    return Flags(skipped, unchanged)


def whole_work(at: Checkout, lent: Sequence[str] | None = None) -> list[str]:
    """The pathspecs of everything in the working tree that is part of the work."""
    names = lent_to(at) if lent is None else lent
    return [*NOTHING_LENT, *(f":(top,exclude,literal){name}" for name in names)]


def lent_to(at: Checkout) -> list[str]:
    """The files that ralph copied into the worktree, as it recorded them there."""
    lent = at.git_dir / LENT
    return os.fsdecode(lent.read_bytes()).split("\0")[:-1] if lent.is_file() else []


class _Seen:
    """The result of one listing of the index and the working tree. Only unusual entries are kept."""

    def __init__(self, given: Collection[bytes]) -> None:
        self.changed: set[bytes] = set()
        """What is new, changed, deleted or in conflict."""
        self.embedded: list[str] = []
        """Folders with a repository that the index does not know."""
        self.linked: set[str] = set()
        """Folders that are submodules in the index."""
        self.hidden: list[str] = []
        """Files whose changes git was told not to look at."""
        self.skipped: list[str] = []
        """Files that a sparse checkout leaves out, or that are marked so."""
        self.left_out: list[str] = []
        """The given files that are in the index and do not exist."""
        self._given = given

    def take(self, record: bytes) -> bool:
        """Read one record. Always returns False, because no record is kept as it is."""
        if record.startswith(USUAL):
            return False
        tag, _, rest = record.partition(b" ")
        if tag == b"?":
            self.changed.add(rest)
            if rest.endswith(b"/"):
                self.embedded.append(os.fsdecode(rest))
            return False
        path = rest.partition(b"\t")[2]
        name = os.fsdecode(path)
        if tag not in (b"H", b"S"):
            self.changed.add(path)
        if rest.startswith(b"160000 "):
            self.linked.add(name)
        if tag in (b"S", b"s"):
            self.skipped.append(name)
        elif tag.islower():
            self.hidden.append(name)
        elif tag == b"R" and os.fsencode(name) in self._given:
            self.left_out.append(name)
        return False


async def _look(git: Git, env: Mapping[str, str], given: Collection[bytes] = ()) -> _Seen:
    seen = _Seen(given)
    await git.records(*LISTING, env=env, wanted=seen.take)
    # A sparse checkout hides what does not exist: that is what the user wants.
    present = {name for name in seen.skipped if anything_at(git.folder / name)}
    seen.hidden = sorted({*seen.hidden, *present})
    return seen


async def _add(git: Git, env: Mapping[str, str], names: Collection[bytes], work: list[str]) -> bool:
    """Stage these files without a look at the others, if all of them are part of the work. Returns whether they are."""
    if work == NOTHING_LENT and not any(OWN_FOLDER in name for name in names):
        given = b"".join(name + b"\0" for name in sorted(names))
        done = await git.run(*BY_NAME, env=env, stdin=given)
        # It ignores a name that it cannot take, such as that of a new submodule, with no more than a message.
        if done.code == 0 and not done.err:
            return True
    # This also happens if one of them is now a folder, or behind a link.
    await _add_all(git, env, work)
    return False


async def _add_all(git: Git, env: Mapping[str, str], work: list[str]) -> None:
    done = await git.run("add", "--all", "--", *work, env=env)
    # Git also fails, with everything staged, if a file that must be left out is also ignored.
    if done.code != 0 and not (ALSO_IGNORED in done.err and not COMPLAINT.search(done.err)):
        raise git.failed("add", done)


async def _mark(git: Git, env: Mapping[str, str], flag: str, names: list[str]) -> None:
    given = b"".join(os.fsencode(name) + b"\0" for name in names)
    await git.ask("update-index", flag, "-z", "--stdin", env=env, stdin=given)


class _Differences:
    def __init__(self, watching: Collection[str]) -> None:
        self.paths: list[str] = []
        self.own_state = False
        """Whether ralph's own state may be among the files."""
        self.watched: list[str] = []
        self._watching = {os.fsencode(name) for name in watching}

    def take(self, name: bytes) -> bool:
        self.paths.append(os.fsdecode(name))
        self.own_state |= OWN_FOLDER in name
        if name in self._watching:
            self.watched.append(os.fsdecode(name))
        return False


async def _differences(git: Git, head: str, env: Mapping[str, str], watching: Collection[str]) -> _Differences:
    """The differences between the index and that commit."""
    found = _Differences(watching)
    await git.records(*DIFFERENCES, head, "--", env=env, wanted=found.take)
    return found


async def _open_embedded(git: Git, env: Mapping[str, str], seen: _Seen) -> bool:
    """Make the files of repositories that an agent made inside this one visible as files. Returns whether there are
    any.

    Git would treat such a repository as a submodule and leave its files out, or fail if it has no commit yet. A folder
    with a file in the index is a folder to git: `add --all` drops the placeholder again.
    """
    undeclared = await _undeclared(git, seen.linked)
    if undeclared:
        await git.ask("update-index", "--force-remove", "--", *undeclared, env=env)
        seen = await _look(git, env)
    # A submodule that the index does not know yet stays one.
    declared = {f"{name}/" for name in await _declared(git)} if seen.embedded else set[str]()
    opened: set[str] = set()
    while embedded := [name for name in seen.embedded if name not in declared | opened]:
        opened |= set(embedded)
        await _add_placeholders(git, env, embedded)
        seen = await _look(git, env)
    return bool(undeclared or opened)


async def _add_placeholders(git: Git, env: Mapping[str, str], folders: list[str]) -> None:
    empty = await git.ask("hash-object", "-w", "--no-filters", os.devnull, env=env)
    lines = b"".join(os.fsencode(f"100644 {empty}\t{folder}{PLACEHOLDER}\0") for folder in folders)
    await git.ask("update-index", "-z", "--add", "--index-info", env=env, stdin=lines)


async def _undeclared(git: Git, linked: set[str]) -> list[str]:
    """Repositories that an agent added as they are: nobody could ever fetch what is in them."""
    present = {name for name in linked if (git.folder / name / ".git").exists()}
    return sorted(present - await _declared(git)) if present else []


async def _declared(git: Git) -> set[str]:
    if not (git.folder / ".gitmodules").is_file():
        return set()
    pattern = r"^submodule\..*\.path$"
    done = await git.run("config", "-z", "--file", ".gitmodules", "--get-regexp", pattern)
    return {line.partition("\n")[2] for line in done.text.split("\0")}
