"""The place of a verification worktree: created, found again, repaired, locked, put away, and removed.

It is below the project, where programs find what they look for above themselves, such as installed packages. Some
runners treat everything below the project as a part of it, so while nobody uses it, it is put away into the git
directory, where no tool looks.
"""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from ralph.git.checkout import Checkout
from ralph.git.folders import anything_at, delete_set_aside, may_be_repaired, set_aside
from ralph.git.kept_files import delete
from ralph.git.listing import linked, registered_at, worktrees
from ralph.git.objects import StoredObject
from ralph.git.own_index import install
from ralph.git.repository import AUTHORS, NOBODY, Repository
from ralph.model.errors import ConfigError, StateError
from ralph.store.files import cannot_write
from ralph.store.lock_file import Held, LockFile
from ralph.store.state_dir import ELSEWHERE
from ralph.workbench.ceiling import WORKTREES

INDEX = "ralph-index"
"""The name of ralph's own index."""
MOMENT = "946684800 +0000"
"""The fixed time that gives a commit of a composed tree always the same name."""
DATES = {f"GIT_{who}_DATE": MOMENT for who in AUTHORS}
IDLE = "ralph-idle"
"""The folder in its part of the git directory that holds the files while nobody uses them."""
UNFINISHED = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "rebase-merge",
    "rebase-apply",
    "index.lock",
    "HEAD.lock",
)
"""What a check that works with git may leave behind."""
BELOW = len(WORKTREES) + 1
"""How many parts of its path are below the project."""


class VerificationPlace:
    """A worktree of the repository without a branch. One process at a time has it."""

    def __init__(self, repository: Repository, path: Path, first: str) -> None:
        """`first` is any commit, because git creates no worktree without one."""
        self._repository = repository
        self._path = path
        self._first = first
        self._admin: Path | None = None
        self._link = ""
        self._lock: LockFile | None = None
        self._commits: dict[tuple[str, str], str] = {}

    @property
    def admin(self) -> Path:
        """Its own part of the git directory."""
        if self._admin is None:
            raise StateError(f"there is no worktree in {self._path}.", "Let ralph make it again: ralph resume")
        return self._admin

    def put_away(self) -> None:
        """Move it out of the project. On another file system than the git directory it stays where it is."""
        if self._admin and anything_at(self._path):
            with suppress(OSError):
                delete(self._admin / IDLE)
                self._path.rename(self._admin / IDLE)

    def _fetch(self, admin: Path | None) -> None:
        if admin and anything_at(admin / IDLE) and not anything_at(self._path):
            (admin / IDLE).rename(self._path)

    async def is_intact(self) -> bool:
        """Whether nobody has touched what makes it a worktree since it was created or found."""
        self._fetch(self._admin)
        if self._admin is None or not all((self._admin / name).is_file() for name in ("HEAD", "commondir", "gitdir")):
            return False
        link = self._path / ".git"
        if self._path.is_symlink() or not self._path.is_dir():
            return False
        if link.is_symlink() or not link.is_file() or link.read_text(errors="replace") != self._link:
            # It leads elsewhere, or a check has created its own repository here.
            delete(link)
            link.write_text(self._link)
        return True

    async def make(self) -> None:
        """Use the existing worktree if it is complete; otherwise create a new one."""
        self._lock = self._lock or _locked(self._path)
        self._fetch(_admin_of(self._path, await self._repository.common_dir()))
        if await self._found() is None:
            await self._add()
        link = (self._path / ".git").read_text(errors="replace")
        self._admin, self._link = (self._path / link.removeprefix("gitdir:").strip()).resolve(), link

    async def _add(self) -> None:
        flags = ("--quiet", "--force", "--detach", "--no-checkout")
        arguments = ("worktree", "add", *flags, str(self._path), self._first)
        if not anything_at(self._path) and (await self._repository.git.run(*arguments)).code == 0:
            return
        # Something else is there, or git has a worktree recorded there that it cannot create again.
        await self.remove()
        await self._repository.git.ask(*arguments)

    async def let_git_know(self, named: StoredObject | None, tree: str, parent: str) -> None:
        """Give git a clean checkout of a commit, because a check may ask git, too, whatever another check did to it."""
        commit = named.name if named and named.kind == "commit" else await self._commit_of(tree, parent)
        for name in UNFINISHED:
            delete(self.admin / name)
        await self._point_to(commit)
        install(self.admin / INDEX, self.admin / "index")

    async def _point_to(self, commit: str) -> None:
        head = self.admin / "HEAD"
        if (await self._repository.common_dir() / "reftable").exists():
            await self._repository.git.at(self._path).ask("update-ref", "--no-deref", "HEAD", commit)
        elif head.read_text(errors="replace") != f"{commit}\n":
            delete(head)
            head.write_text(f"{commit}\n")

    async def _commit_of(self, tree: str, parent: str) -> str:
        if (tree, parent) not in self._commits:
            parents = ("-p", parent) if parent else ()
            made = ("commit-tree", "--no-gpg-sign", *parents, "-m", "verify", tree)
            self._commits[tree, parent] = await self._repository.git.ask(*made, env={**NOBODY, **DATES})
        return self._commits[tree, parent]

    async def remove(self) -> None:
        """Remove it with everything in it. Nothing in it is anybody's work."""
        self._admin = None
        if self._path.is_symlink():
            self._path.unlink()
        set_aside(self._path)
        done = await self._repository.git.run("worktree", "remove", "--force", "--force", str(self._path))
        if done.code != 0 and registered_at(self._path, await worktrees(self._repository)):
            raise self._repository.git.failed("worktree remove", done)
        await asyncio.to_thread(delete_set_aside, self._path.parent)

    def close(self) -> None:
        """Let another process have it."""
        if self._lock:
            self.put_away()
            self._lock.close()
        self._lock = None

    async def _found(self) -> Checkout | None:
        if not anything_at(self._path):
            return None
        entry = registered_at(self._path, await worktrees(self._repository))
        if entry and entry.unfinished:
            return None
        if may_be_repaired(self._path):
            # The project has moved, or a check has deleted `.git`.
            await self._repository.git.run("worktree", "repair", str(self._path))
        return await linked(self._repository, self._path)


def _admin_of(path: Path, common_dir: Path) -> Path | None:
    """The worktree's part of the git directory, even if the project has moved since."""
    for admin in (common_dir / "worktrees").glob("*"):
        try:
            known = Path((admin / "gitdir").read_text(errors="replace").strip()).parent
        except OSError:
            continue
        if known == Path(os.path.realpath(path.parent), path.name) or _was_moved(known, path):
            return admin
    return None


def _was_moved(known: Path, path: Path) -> bool:
    return known.parts[-BELOW:] == path.parts[-BELOW:] and not known.parent.exists()


class InUse(ConfigError):
    """Another ralph, or another run of this one, has the worktree."""


def _locked(path: Path) -> LockFile:
    try:
        return LockFile(path.with_name(f"{path.name}.lock"))
    except Held:
        raise InUse(f"another ralph verifies in {path}.", "Wait for it, or stop it first.") from None
    except OSError as error:
        raise cannot_write(path, error, ELSEWHERE) from error
