"""A git repository as ralph uses it: ralph reads it, keeps the work in it, and leaves the user's own files alone."""

import os
import re
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from ralph.git.checkout import HASH, HEADS, Checkout, look, require
from ralph.git.command import RESUME, Git
from ralph.git.known_places import remember_place, seen_at
from ralph.git.known_trees import remember_changes, remember_tree
from ralph.git.left_locks import is_free
from ralph.git.loose_objects import read_loose, tree_in
from ralph.git.objects import Objects
from ralph.git.own_index import install, know, know_tree, staged_by
from ralph.git.ref_files import read_head, read_ref
from ralph.git.sealed import top_of
from ralph.git.staging import StagedWork, stage, whole_work
from ralph.model.errors import StateError
from ralph.model.git_rules import GitRules
from ralph.workbench.bench import NOTHING, Ended, Workbench

AUTHORS = ("AUTHOR", "COMMITTER")
NOBODY = {
    f"GIT_{who}_{what}": value for who in AUTHORS for what, value in (("NAME", "ralph"), ("EMAIL", "ralph@localhost"))
}
OWN_IDENTITY = ("-c", "user.useConfigOnly=true")
# It may be empty: a file can change back after it was seen.
COMMIT = (
    *("commit", "--quiet", "--no-verify", "--no-gpg-sign", "--allow-empty", "--allow-empty-message"),
    *("--cleanup=verbatim", "--file", "-"),
)
COMMITTER = re.compile(rb"^committer (.*>) [^>]*$", re.MULTILINE)
PEELED = ("", "{commit}", "{tree}")
MOST_LOCKS = 3
"""How many locks in a row may block one move."""

_committers: dict[Path, str] = {}
"""The committer of the last commit that ralph made in each folder."""


class Commit(Struct, frozen=True):
    commit: str
    tree: str
    changed: bool
    """Whether the commit was made now. Otherwise it already existed."""
    uncovered: tuple[str, ...] = ()
    """Files with a change that git was told not to look at. The commit has the change."""


class Snapshot(NamedTuple):
    """A tree of the current files."""

    tree: str
    uncovered: tuple[str, ...] = ()
    """Files with a change that git was told not to look at. The tree has the change."""


class Change(NamedTuple):
    """The change of a ref. An empty `new` deletes it, an empty `old` creates it."""

    ref: str
    new: str
    old: str


class Repository:
    """The repository. `known` holds what was found out about the project, from one action to the next."""

    def __init__(self, bench: Workbench, known: dict[Path, Path] | None = None) -> None:
        self.git = Git(bench)
        self._known = {} if known is None else known

    def at(self, folder: Path) -> "Repository":
        """Another working tree in the same environment."""
        there = copy(self)
        there.git = self.git.at(folder)
        there.__dict__.pop("objects", None)
        return there

    @cached_property
    def objects(self) -> Objects:
        """The objects, shared by all readers of this repository."""
        common_dir = self.known_common_dir()
        return Objects(self.git, common_dir / "objects" if common_dir else None)

    @property
    def folder(self) -> Path:
        return self.git.folder

    async def require(self) -> Checkout:
        """The state of a working tree that has a commit to begin from. It raises an error otherwise."""
        found = await self._seen(require)
        self._known[self.folder] = found.common_dir
        return found

    async def common_dir(self) -> Path:
        """The common git directory of the project, which stays while ralph works on it. For a worktree, git is asked
        each time.
        """
        if self.folder not in self._known:
            self._known[self.folder] = (await self.look()).common_dir
        return self._known[self.folder]

    async def look(self) -> Checkout:
        return await self._seen(look)

    async def _seen(self, ask: Callable[[Git], Awaitable[Checkout]]) -> Checkout:
        found = seen_at(self.folder)
        if found is None:
            found = await ask(self.git)
            remember_place(self.folder, found)
        return found

    async def uncommitted(self, at: Checkout | None = None) -> int:
        """How many files are changed or new, without ignored ones."""
        at = at or await self.look()
        git = self.git.at(at.top)
        changes = await git.records(
            *("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none"),
            *("--", *whole_work(at)),
            wanted=bool,
        )
        return sum(not _is_empty_repository(git.folder / name[3:]) for name in changes)

    async def not_ignored(self, names: Sequence[str]) -> list[str]:
        """The names in this folder that git would commit."""
        ignored = bytearray()
        given = b"".join(os.fsencode(name) + b"\0" for name in names)
        if given:
            await self.git.run("check-ignore", "-z", "--stdin", stdin=given, sink=ignored.extend)
        found = set(os.fsdecode(bytes(ignored)).split("\0"))
        return [name for name in names if name not in found]

    async def snapshot(self, rules: GitRules | None = None) -> str:
        """The tree of everything in the working tree that is not ignored. It touches nothing of the user's."""
        return (await self.take_snapshot(rules)).tree

    async def take_snapshot(self, rules: GitRules | None = None) -> Snapshot:
        """The snapshot, with what git was told to overlook. With `rules`, nothing that an agent told git has an
        effect.
        """
        at = await self.look()
        if rules:
            git = self.git.at(top_of(self.folder, rules))
            async with staged_by(git, at, rules) as own:
                return await _snapshot(git, at, own.staged, own.env)
        git = self.git.at(at.top)
        index = at.git_dir / "index"
        with tempfile.TemporaryDirectory(prefix="ralph-index-") as directory:
            copied = Path(directory, "index")
            if index.exists():
                # Its time is kept: git uses it to decide which files it must read again.
                shutil.copy2(index, copied)
            env = {"GIT_INDEX_FILE": str(copied)}
            return await _snapshot(git, at, await stage(git, at, env), env)

    async def commit_all(
        self, message: str, *, again: bool = False, rules: GitRules | None = None, at: Checkout | None = None
    ) -> Commit:
        """Commit everything that is not ignored. `again`: an earlier attempt was killed, and nobody holds its locks.

        With `rules`, nothing that an agent told git affects what is committed. `at` is what the caller has just seen.
        """
        at = at or await self.look()
        if again:
            drop_locks(at)
        if not at.head:
            raise StateError(f"{at.top} has no commit checked out.", RESUME)
        if not rules:
            git = self.git.at(at.top)
            return await self._committed(git, at, await stage(git, at, {}), message, {})
        git = self.git.at(top_of(self.folder, rules))
        async with staged_by(git, at, rules) as own:
            if own.staged.changed:
                install(own.path, at.git_dir / "index")
            # Everything is in the index. Without files, no filter is called for one.
            made = await self._committed(git, at, own.staged, message, {"GIT_WORK_TREE": str(own.nowhere)})
            if made.changed:
                know(at.git_dir / "index")
                know_tree(at.git_dir, made.tree)
            return made

    async def _committed(
        self, git: Git, at: Checkout, staged: StagedWork, message: str, env: Mapping[str, str]
    ) -> Commit:
        if not staged.changed:
            return Commit(at.head, at.tree, changed=False)
        await self._by_someone(git, *COMMIT, message=message, env=env)
        now = read_head(at)
        head, tree = (now[1], tree_in(at.common_dir / "objects", now[1])) if now else ("", "")
        if not tree:
            head, tree = (await git.ask("rev-parse", "HEAD^{commit}", "HEAD^{tree}", "--", env=env)).split()[:2]
        remember_tree(head, tree)
        remember_changes(at.tree, tree, staged.paths)
        return Commit(head, tree, changed=tree != at.tree, uncovered=staged.uncovered)

    async def restore(self) -> None:
        """Restore the last commit in a worktree of ralph's, never in the user's own working tree."""
        at = await self.look()
        git = self.git.at(at.top)
        if not at.is_linked:
            raise StateError(f"{git.folder} is not a worktree of ralph's, so nothing in it is discarded.")
        await git.ask("reset", "--quiet", "--hard")
        await git.ask("clean", "--quiet", "-ffd", "--", *whole_work(at))

    async def resolve(self, *names: str) -> list[str]:
        """The object of each name, such as `main^{commit}`; empty if there is none."""
        found = {name: self.known_object(name) for name in names}
        if asked := [name for name in found if found[name] is None]:
            # No name has a line break in it: with a blank instead, it is still a name that does not exist.
            given = "".join(name.replace("\n", " ") + "\n" for name in asked)
            said = await self.git.ask("cat-file", "--batch-check=%(objectname)", stdin=os.fsencode(given))
            found.update(zip(asked, said.split("\n"), strict=True))
        return [found[name] or "" if HASH.fullmatch(found[name] or "") else "" for name in names]

    def known_object(self, name: str) -> str | None:
        """The object of a name as `resolve` knows it; None if git must be asked."""
        common_dir = self.known_common_dir()
        return _in_files(common_dir, name) if common_dir else None

    def known_common_dir(self) -> Path | None:
        """The common git directory, if it is known without a question to git."""
        at = seen_at(self.folder)
        return at.common_dir if at else self._known.get(self.folder)

    async def commit_at(self, name: str) -> str:
        """The commit of that name; empty if there is none."""
        [commit] = await self.resolve(f"{name}^{{commit}}")
        return commit

    async def merge_base(self, one: str, other: str) -> str:
        """The commit where their histories part; empty if there is none."""
        done = await self.git.run("merge-base", one, other)
        return done.text.partition("\n")[0] if done.code == 0 else ""

    async def commit_tree(self, tree: str, parent: str, message: str, *others: str) -> str:
        """A commit that is on no branch yet; with several parents it is a merge, without any it is a root."""
        parents = [word for each in (parent, *others) if each for word in ("-p", each)]
        made = ("commit-tree", "--no-gpg-sign", *parents, "-F", "-", tree)
        commit = await self._by_someone(self.git, *made, message=message)
        remember_tree(commit, tree)
        common_dir = self.known_common_dir()
        found = read_loose(common_dir / "objects", commit) if common_dir else None
        if found and (by := COMMITTER.search(found.content)):
            _committers[self.folder] = by[1].decode(errors="replace")
        return commit

    async def committer(self) -> str:
        """The user's name and address, if git knows an identity; otherwise ralph's own. In a folder in which ralph has
        committed, it is the committer of the last commit.
        """
        if self.folder in _committers:
            return _committers[self.folder]
        done = await self.git.run(*OWN_IDENTITY, "var", "GIT_COMMITTER_IDENT")
        if done.code == 0:
            # The identity without the time.
            return done.text.rpartition(">")[0] + ">"
        return f"{NOBODY['GIT_COMMITTER_NAME']} <{NOBODY['GIT_COMMITTER_EMAIL']}>"

    async def move(self, *changes: Change) -> bool:
        """Move all refs or none. Returns whether each ref was where it was expected to be."""
        done = await self._moved(changes)
        for _ in range(MOST_LOCKS):
            if done.code == 0 or not await self.is_freed(done):
                break
            done = await self._moved(changes)
        if done.code == 0:
            return True
        now = await self.resolve(*(change.ref for change in changes))
        if now != [change.old for change in changes]:
            return False
        raise self.git.failed("update-ref", done)

    async def is_freed(self, done: Ended) -> bool:
        """Whether only a lock on ralph's own refs blocked git, and is now gone."""
        return await is_free(await self.common_dir(), done.err)

    async def _moved(self, changes: Sequence[Change]) -> Ended:
        return await self.git.run("update-ref", "-m", "ralph", "-z", "--stdin", stdin=b"".join(map(_order, changes)))

    async def _by_someone(self, git: Git, *arguments: str, message: str, env: Mapping[str, str] = NOTHING) -> str:
        """The output of git run as the user, if git knows an identity; what git would guess from the machine does not
        count.
        """
        # Git ends it at a NUL.
        given = message.replace("\0", "").encode(errors="replace") or b"\n"
        done = await git.run(*OWN_IDENTITY, *arguments, env=env, stdin=given)
        if done.code != 0 and not await self._has_identity():
            done = await git.run(*arguments, env={**NOBODY, **env}, stdin=given)
        if done.code != 0:
            raise git.failed(arguments[0], done)
        return done.text

    async def _has_identity(self) -> bool:
        asked = [await self.git.run(*OWN_IDENTITY, "var", f"GIT_{who}_IDENT") for who in AUTHORS]
        return all(done.code == 0 for done in asked)


async def _snapshot(git: Git, at: Checkout, staged: StagedWork, env: Mapping[str, str]) -> Snapshot:
    tree = await git.ask("write-tree", env=env) if staged.changed else at.tree
    remember_tree(tree, tree)
    return Snapshot(tree, staged.uncovered)


def _in_files(common_dir: Path, name: str) -> str | None:
    """The object of that name; empty if there is none; None if git must be asked."""
    named, _, peeled = name.partition("^")
    found = named if HASH.fullmatch(named) else read_ref(common_dir, named)
    if not found:
        return found
    tree = tree_in(common_dir / "objects", found)
    if not tree or peeled not in PEELED:
        return None
    return tree if peeled == "{tree}" else "" if peeled and found == tree else found


def drop_locks(at: Checkout) -> None:
    """Remove the locks of gits that were killed with an earlier attempt."""
    locked = [at.git_dir / "index", at.git_dir / "HEAD", *([at.common_dir / HEADS / at.branch] if at.branch else [])]
    for path in locked:
        path.with_name(f"{path.name}.lock").unlink(missing_ok=True)


def _order(change: Change) -> bytes:
    """The change in the format of `update-ref --stdin -z`."""
    if not change.old:
        return f"create {change.ref}\0{change.new}\0".encode()
    if not change.new:
        return f"delete {change.ref}\0{change.old}\0".encode()
    return f"update {change.ref}\0{change.new}\0{change.old}\0".encode()


def _is_empty_repository(path: Path) -> bool:
    """Whether it is a repository that an agent made and put nothing in. There is nothing to commit in it."""
    return (path / ".git").is_dir() and len(list(path.iterdir())) == 1
