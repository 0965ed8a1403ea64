"""The worktree in which checks run on exactly one tree. Only ralph works in it.

Each time it is asked for a tree, it has that tree, proven by hash, and nothing else: what an earlier check wrote is
gone, except for the files that `worktree.init` made to prepare it. Only the user's rules tell git how to write files;
what an agent put into `.git` or into the settings has no effect.
"""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ralph.git.checkout import look_if_any
from ralph.git.folders import place
from ralph.git.kept_files import KeptFiles, delete, special_files
from ralph.git.known_trees import is_tree
from ralph.git.local_files import LocalFiles, copy_local_files
from ralph.git.proven_index import ProvenIndex, Seen
from ralph.git.repository import Repository
from ralph.git.sealed import seal
from ralph.git.staging import LENT
from ralph.git.tips import START
from ralph.git.trees import SUBMODULE, read_tree, tree_of
from ralph.git.verification_place import INDEX, InUse, VerificationPlace
from ralph.model.errors import ConfigError, StateError
from ralph.model.evidence import Evidence
from ralph.model.git_rules import GitRules
from ralph.workbench.ceiling import WORKTREES

PREFIX = ".verify-"
"""The prefix of its name. No task name begins with a dot."""
RECORD = "ralph-setup"
"""The name of a record in its part of the git directory: the files that prepare it."""
COMPILED = ("*.pyc", "*.pyo")
"""Compiled programs that python would run instead of a source."""
SHOWN = 5
MOST_ASKED = 1000
"""How many names fit into one command line."""

Init = Callable[[Path], Awaitable[Evidence]]


class _Preparation(NamedTuple):
    copy: Sequence[str]
    init: str
    run: Init
    tree: str


class VerificationWorktree:
    """A worktree for checks. One instance serves a folder, with one tree at a time."""

    def __init__(self, repository: Repository, path: Path, rules: GitRules, first: str) -> None:
        self.path = path
        self.lent = LocalFiles()
        self._repository = repository
        self._git = repository.git.at(path)
        self._rules = rules
        self._place = VerificationPlace(repository, path, first)
        self._objects = repository.objects
        self._index: ProvenIndex | None = None
        self._preparation: _Preparation | None = None
        self._kept: KeptFiles | None = None
        self._submodules: dict[str, dict[str, str]] = {}

    @classmethod
    async def open(
        cls, repository: Repository, project: Path, name: str, rules: GitRules | None = None
    ) -> "VerificationWorktree":
        """The worktree of that run or task. Without rules, no filter and no setting counts: each file is its blob."""
        try:
            at = await repository.require()
            first = at.head
        except ConfigError:
            # A project without a commit has at least the one in which ralph keeps the files from the start of the run.
            found = await look_if_any(repository.git)
            first = await repository.commit_at(START) if found else ""
            if found is None or not first:
                raise
            at = found
        rules = replace(rules or GitRules(), prefix=at.prefix)
        return cls(repository, place(project, PREFIX + name.replace("/", "-")), rules, first)

    @property
    def folder(self) -> Path:
        """The project's folder in the worktree."""
        return self.path / self._rules.prefix

    @property
    def setup_digest(self) -> str:
        """The digest of all files that prepare it; empty if there are none."""
        return self._kept.digest if self._kept else ""

    async def at(self, tree: str, *, keep_ignored: bool = False) -> Path:
        """Check out exactly that tree, or that of that commit, and return the project's folder in it.

        With `keep_ignored`, what an earlier check built stays, as long as git ignores it and it is not compiled python.
        """
        named = None if is_tree(tree) else await self._objects.find(tree)
        wanted = await tree_of(self._objects, named.name if named else tree)
        try:
            await self._have(wanted, keep_ignored=keep_ignored)
        except (OSError, StateError):
            # Creating it again costs nothing but time.
            await self._forget_and_remove()
            await self._have(wanted, keep_ignored=keep_ignored)
        if self._preparation and not await self._is_prepared(self._preparation, wanted, keep_ignored=keep_ignored):
            await self._forget_and_remove()
            await self._prepare_again(self._preparation)
            await self._have(wanted, keep_ignored=keep_ignored)
        await self._place.let_git_know(named, wanted)
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder

    async def differs(self, tree: str) -> list[str]:
        """The files that differ from that tree, and those that it does not have and git does not ignore."""
        wanted = await tree_of(self._objects, tree)
        if not await self._place.is_intact():
            return [".git"]
        index = await self._opened()
        async with self._sealed(wanted) as env:
            if index.tree != wanted:
                await index.load(wanted, env)
            seen = await index.look(env, ignored=False)
        others = [name for name in seen.others if not (self._kept and self._kept.has(name))]
        return sorted({*seen.changed, *others})

    async def take(self) -> None:
        """Take the worktree for this process alone. It raises `InUse` if another one has it."""
        await self._opened()

    async def set_up(self, copy: Sequence[str], init: str, run: Init, *, tree: str = "HEAD", known: str = "") -> str:
        """Prepare it like a task's own worktree, on that tree. Returns why that failed, or an empty text.

        What is made stays from now on. Existing files are used if `known` is their digest.
        """
        self._preparation = _Preparation(tuple(copy), init, run, tree) if copy or init else None
        if self._preparation is None:
            self._kept = None
            return ""
        if known and await self._takes_over(known):
            return ""
        return await self._prepare(self._preparation)

    def put_away(self) -> None:
        """Move it out of the project, because nobody needs it now, and no tool must take it for a part of the
        project.
        """
        self._place.put_away()

    async def remove(self) -> None:
        """Remove the worktree with everything in it."""
        await self._forget_and_remove()
        self.close()

    def close(self) -> None:
        """Leave the worktree to another process, with everything in it."""
        self._place.close()

    async def _forget_and_remove(self) -> None:
        self._index = self._kept = None
        await self._place.remove()

    async def _opened(self) -> ProvenIndex:
        if not await self._place.is_intact():
            self._index = self._kept = None
            await self._place.make()
        if self._index is None:
            self._index = ProvenIndex(self._place.admin / INDEX, self._git)
        return self._index

    async def _have(self, tree: str, *, keep_ignored: bool = False) -> None:
        index = await self._opened()
        async with self._sealed(tree) as env:
            if self._is_empty():
                await index.fill(self._repository, tree, env)
                if self._writes_exactly():
                    return
            is_new = index.tree != tree
            if is_new:
                await index.check_out(tree, env)
            ignored = not keep_ignored
            seen = await index.look(env, ignored=ignored, entries=is_new)
            # Git would treat the files behind such a link as those of the tree.
            links = await self._links_to_folders(seen, index, env)
            for name in links:
                delete(self.path / name)
            if seen.changed or links:
                await self._move_submodules(seen)
                await index.restore(tree, env)
                is_new = True
                seen = await index.look(env, ignored=ignored, entries=True)
            if is_new:
                await index.prove(self._repository, tree, seen)
            self._refuse_changed(seen)
            compiled = await index.ignored(env, COMPILED) if keep_ignored else []
        await asyncio.to_thread(self._sweep, [*seen.others, *compiled, *special_files(self.path)])

    def _is_empty(self) -> bool:
        return all(path.name == ".git" for path in self.path.iterdir())

    def _writes_exactly(self) -> bool:
        """Whether git cannot write one file instead of another, and starts no program that could write more."""
        knows_case = not (self.path / ".GIT").exists()
        return knows_case and not any(name.startswith("filter.") for name, _ in self._rules.settings)

    async def _links_to_folders(self, seen: Seen, index: ProvenIndex, env: dict[str, str]) -> list[str]:
        """The links to remove. Those that `worktree.init` made stay, unless the tree has a folder there."""
        links = [name for name in seen.others if (self.path / name).is_symlink() and (self.path / name).is_dir()]
        made = [name for name in links if self._kept and self._kept.has(name)]
        covered = await index.tracked(env, made) if made else []
        return [name for name in links if name not in made or any(each.startswith(f"{name}/") for each in covered)]

    async def _is_prepared(self, preparation: _Preparation, tree: str, *, keep_ignored: bool) -> bool:
        """Whether everything that prepares it is as it was made. Otherwise the next check would run with what a check
        changed.

        What a check before it built is part of the same trial.
        """
        kept = self._kept
        if kept is None or keep_ignored:
            return kept is not None
        filled = await self._filled_submodules(tree)
        if filled != await self._filled_submodules(await tree_of(self._objects, preparation.tree)):
            return False
        changed = await asyncio.to_thread(kept.changes)
        # Files of the tree itself are as the tree has them.
        if not set(changed) <= set(await self._tracked(changed)):
            return False
        for name in filled:
            await asyncio.to_thread(kept.sweep, name)
        return True

    async def _tracked(self, names: list[str]) -> list[str]:
        if not names or len(names) > MOST_ASKED:
            return []
        index = await self._opened()
        async with self._sealed(index.tree) as env:
            return await index.tracked(env, names)

    def _refuse_changed(self, seen: Seen) -> None:
        """Raise an error for changed files. A submodule whose commit is missing stays, and is reported as different."""
        changed = sorted(name for name in seen.changed if not (self.path / name / ".git").exists())
        if changed:
            names = ", ".join(changed[:SHOWN])
            raise StateError(f"{self.path} still differs from the tree to check: {names}.", "See: git fsck")

    async def _move_submodules(self, seen: Seen) -> None:
        for name, commit in seen.submodules.items():
            if name in seen.changed and (self.path / name / ".git").exists():
                await self._git.at(self.path / name).run("checkout", "--quiet", "--force", "--detach", commit)

    def _sweep(self, others: list[str]) -> None:
        for path in others:
            if self._kept:
                self._kept.sweep(path.rstrip("/"))
            else:
                delete(self.path / path)

    async def _prepare_again(self, preparation: _Preparation) -> None:
        """Prepare it again, because somebody has broken the worktree or its preparation."""
        problem = await self._prepare(preparation)
        if problem:
            raise StateError(f"{self.path} could not be prepared: {problem}.", "Fix worktree.init, then: ralph resume")

    async def _prepare(self, preparation: _Preparation) -> str:
        self._kept = None
        tree = await tree_of(self._objects, preparation.tree)
        await self._have(tree)
        if await self._filled_submodules(tree):
            # What a check left in one of them would be mistaken for what init makes.
            await self._forget_and_remove()
            await self._have(tree)
        await self._place.let_git_know(await self._objects.find(preparation.tree), tree)
        (self._place.admin / LENT).unlink(missing_ok=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lent = await copy_local_files(self.folder, self._repository.folder, list(preparation.copy))
        seen = await preparation.run(self.folder) if preparation.init else None
        self._kept = await self._made(tree)
        return "" if seen is None or seen.passed else seen.reason

    async def _takes_over(self, known: str) -> bool:
        await self._opened()
        kept = KeptFiles.load(self.path, self._place.admin / RECORD)
        if kept is None or kept.digest != known or await asyncio.to_thread(kept.changes):
            return False
        self._kept = kept
        return True

    async def _made(self, tree: str) -> KeptFiles:
        index = await self._opened()
        async with self._sealed(tree) as env:
            seen = await index.look(env, ignored=True)
        roots = [*seen.others, *await self._filled_submodules(tree)]
        made = await asyncio.to_thread(KeptFiles.made, self.path, roots)
        made.save(self._place.admin / RECORD)
        return made

    async def _filled_submodules(self, tree: str) -> dict[str, str]:
        """The filled submodules, with the commit that the tree has of each."""
        if tree not in self._submodules:
            entries = (await read_tree(self._repository, tree)).entries
            self._submodules[tree] = {name: each.blob for name, each in entries.items() if each.mode == SUBMODULE}
        found = self._submodules[tree].items()
        return {name: commit for name, commit in found if (self.path / name / ".git").exists()}

    @asynccontextmanager
    async def _sealed(self, tree: str) -> AsyncGenerator[dict[str, str]]:
        """A sealed environment, made each time: a check that knows where it is could have written into it."""
        with tempfile.TemporaryDirectory(prefix="ralph-git-") as folder:
            common_dir = await self._repository.common_dir()
            yield seal(Path(folder), self._rules, common_dir, self.path.resolve(), tree)


async def put_away_all(repository: Repository, project: Path) -> None:
    """Put away the worktrees that a killed ralph left in the project. Those that another ralph uses stay."""
    for path in project.joinpath(*WORKTREES).glob(f"{PREFIX}*"):
        if path.is_dir() and not path.is_symlink():
            worktree = await VerificationWorktree.open(repository, project, path.name.removeprefix(PREFIX))
            with suppress(InUse):
                await worktree.take()
                worktree.close()
