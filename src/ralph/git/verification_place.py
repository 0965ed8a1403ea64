"""The place of a verification worktree: created, found again, repaired, locked, put away, and removed.

It is below the project, where programs find what they look for above themselves, such as installed packages. Some
runners treat everything below the project as a part of it, so while nobody uses it, it is put away into the git
directory, where no tool looks.
"""

from contextlib import suppress
from pathlib import Path

from ralph.git.checkout import Checkout
from ralph.git.folders import admin_of, anything_at, may_be_repaired
from ralph.git.kept_files import delete
from ralph.git.listing import linked, registered_at, worktrees
from ralph.git.loose_objects import StoredObject, write_loose
from ralph.git.own_index import install
from ralph.git.repository import NOBODY, Repository
from ralph.git.worktree import take_away
from ralph.model.errors import ConfigError, StateError
from ralph.store.files import cannot_write
from ralph.store.lock_file import Held, LockFile
from ralph.store.state_dir import ELSEWHERE

INDEX = "ralph-index"
"""The name of ralph's own index."""
BY = f"{NOBODY['GIT_COMMITTER_NAME']} <{NOBODY['GIT_COMMITTER_EMAIL']}> 946684800 +0000"
"""With a fixed time, the commit of a tree always has the same name."""
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
        self._fetch(admin_of(self._path, await self._repository.common_dir(), moved=True))
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

    async def let_git_know(self, named: StoredObject | None, tree: str) -> None:
        """Give git a clean checkout of a commit, because a check may ask git, too, whatever another check did to it."""
        commit = named.name if named and named.kind == "commit" else await self._commit_of(tree)
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

    async def _commit_of(self, tree: str) -> str:
        content = f"tree {tree}\nauthor {BY}\ncommitter {BY}\n\nverify\n".encode()
        return write_loose(await self._repository.common_dir() / "objects", "commit", content, tree)

    async def remove(self) -> None:
        """Remove it with everything in it. Nothing in it is anybody's work."""
        self._admin = None
        if self._path.is_symlink():
            self._path.unlink()
        await take_away(self._repository, self._path)

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


class InUse(ConfigError):
    """Another ralph, or another run of this one, has the worktree."""


def _locked(path: Path) -> LockFile:
    try:
        return LockFile(path.with_name(f"{path.name}.lock"))
    except Held:
        raise InUse(f"another ralph verifies in {path}.", "Wait for it, or stop it first.") from None
    except OSError as error:
        raise cannot_write(path, error, ELSEWHERE) from error
