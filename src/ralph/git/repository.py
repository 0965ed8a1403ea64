"""A git repository as ralph uses it: looks at it, keeps the work in it, and leaves the user's own files alone."""

import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from ralph.git.bounded import BoundedDiff
from ralph.git.command import Done, Git
from ralph.git.staging import stage, whole_work
from ralph.model.errors import ConfigError, StateError

AUTHORS = ("AUTHOR", "COMMITTER")
NOBODY = {
    f"GIT_{who}_{what}": value for who in AUTHORS for what, value in (("NAME", "ralph"), ("EMAIL", "ralph@localhost"))
}
DIFF = (
    *("diff-tree", "-r", "--patch", "--unified=3", "--no-color", "--no-renames", "--submodule=short"),
    *("--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"),
)


class Commit(Struct, frozen=True):
    commit: str
    tree: str
    changed: bool
    """Whether it was made now. If not, it is the one that was there."""


class Repository:
    def __init__(self, folder: Path, env: Mapping[str, str], attempt: str) -> None:
        self.folder = folder
        self.git = Git(folder, env, attempt)
        self._env = env
        self._attempt = attempt

    def at(self, folder: Path) -> "Repository":
        """Another working tree, with the same surroundings."""
        return Repository(folder, self._env, self._attempt)

    async def require(self) -> None:
        """That there is a working tree here with a commit to begin from."""
        if not self.folder.is_dir():
            raise ConfigError(f"the directory {self.folder} is gone.", "Run ralph where the project is.")
        asked = await self.git.run("rev-parse", "--is-inside-work-tree", "--is-bare-repository")
        if asked.code != 0:
            raise self._unusable(asked)
        inside, bare = asked.text.split()
        if bare == "true":
            raise ConfigError(f"{self.folder} is a bare repository.", "Run ralph in a clone with a working tree.")
        if inside != "true":
            raise ConfigError(f"{self.folder} is inside a .git directory.", "Run ralph in the working tree.")
        if not await self.resolve("HEAD"):
            raise ConfigError(
                f"the git repository {self.folder} has no commit yet.",
                'Make the first commit: git add --all && git commit -m "Begin"',
            )

    async def top(self) -> Path:
        return Path(await self.git.ask("rev-parse", "--show-toplevel"))

    async def head(self) -> str:
        return await self.git.ask("rev-parse", "--verify", "HEAD^{commit}")

    async def branch(self) -> str | None:
        """The branch that is checked out, if one is."""
        return (await self.git.run("symbolic-ref", "--quiet", "--short", "HEAD")).text or None

    async def uncommitted(self) -> int:
        """How many files are changed or new, ignored ones left out."""
        git = self.git.at(await self.top())
        changes = await git.records(
            *("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none"),
            *("--", *await whole_work(git)),
            wanted=bool,
        )
        return sum(not _is_empty_repository(git.folder / name[3:]) for name in changes)

    async def snapshot(self) -> str:
        """The tree of everything in the working tree that is not ignored. Nothing of the user's is touched by it."""
        git = self.git.at(await self.top())
        index = git.folder / await git.ask("rev-parse", "--git-path", "index")
        with tempfile.TemporaryDirectory(prefix="ralph-index-") as directory:
            copied = Path(directory, "index")
            if index.exists():
                # With its time: by that git knows which files it has to look into again.
                shutil.copy2(index, copied)
            env = {"GIT_INDEX_FILE": str(copied)}
            await stage(git, env)
            return await git.ask("write-tree", env=env)

    async def diff(self, base: str, to: str, limit: int) -> str:
        """From one commit or tree to another, in at most `limit` characters."""
        found = BoundedDiff(limit)
        done = await self.git.run(*DIFF, base, to, "--", sink=found.take)
        if done.code != 0:
            raise self.git.failed("diff", done)
        return found.text()

    async def commit_all(self, message: str, *, again: bool = False) -> Commit:
        """All that is not ignored. `again`: an earlier attempt at this was killed, and its locks are nobody's."""
        git = self.git.at(await self.top())
        if again:
            await self._drop_locks(git)
        await stage(git, {})
        tree, head = await git.ask("write-tree"), await self.head()
        if tree == await self.tree(head):
            return Commit(head, tree, changed=False)
        flags = ("--quiet", "--no-verify", "--no-gpg-sign", "--allow-empty-message", "--cleanup=verbatim")
        with _text_file(message) as file:
            await git.ask("commit", *flags, "--file", str(file), env=await self._identity())
        return Commit(await self.head(), tree, changed=True)

    async def restore(self) -> None:
        """The last commit again, in a worktree of ralph's; in the user's own working tree never."""
        git = self.git.at(await self.top())
        own, common = (await git.ask("rev-parse", "--git-dir", "--git-common-dir")).splitlines()
        if (git.folder / own).resolve() == (git.folder / common).resolve():
            raise StateError(f"{git.folder} is not a worktree of ralph's, so nothing in it is thrown away.")
        await git.ask("reset", "--quiet", "--hard")
        await git.ask("clean", "--quiet", "-ffd", "--", *await whole_work(git))

    async def resolve(self, name: str) -> str:
        """The commit of that name, or nothing."""
        done = await self.git.run("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
        return done.text if done.code == 0 else ""

    async def tree(self, commit: str) -> str:
        return await self.git.ask("rev-parse", "--verify", f"{commit}^{{tree}}")

    async def merge_base(self, one: str, other: str) -> str:
        """Where their histories part, or nothing."""
        done = await self.git.run("merge-base", one, other)
        return done.text.partition("\n")[0] if done.code == 0 else ""

    async def commit_tree(self, tree: str, parent: str, message: str) -> str:
        """A commit that is on no branch yet."""
        with _text_file(message) as file:
            made = ("commit-tree", "--no-gpg-sign", "-p", parent, "-F", str(file), tree)
            return await self.git.ask(*made, env=await self._identity())

    async def move(self, ref: str, new: str, old: str) -> bool:
        """Whether the ref was at `old` and is at `new` now. An empty `new` deletes it, an empty `old` makes it."""
        change = (ref, new, old) if new else ("-d", ref, old)
        done = await self.git.run("update-ref", "-m", "ralph", *change)
        if done.code == 0:
            return True
        if await self.resolve(ref) != old:
            return False
        raise self.git.failed("update-ref", done)

    async def _identity(self) -> dict[str, str]:
        """The user's own if there is one; what git would guess from the machine is nobody's."""
        asked = [await self.git.run("-c", "user.useConfigOnly=true", "var", f"GIT_{who}_IDENT") for who in AUTHORS]
        return {} if all(done.code == 0 for done in asked) else NOBODY

    async def _drop_locks(self, git: Git) -> None:
        names = ["index", "HEAD"]
        if branch := await self.branch():
            names.append(f"refs/heads/{branch}")
        for name in names:
            (git.folder / await git.ask("rev-parse", "--git-path", f"{name}.lock")).unlink(missing_ok=True)

    def _unusable(self, asked: Done) -> ConfigError:
        if asked.code is None:
            return ConfigError("git cannot be started, and tasks run in git worktrees.", "Install git: ralph doctor")
        if "dubious ownership" in asked.err:
            return ConfigError(
                f"{self.folder} belongs to another user, so git does not open it.",
                f"If you trust it: git config --global --add safe.directory {self.folder}",
            )
        if "not a git repository" in asked.err:
            return ConfigError(f"{self.folder} is not a git repository.", "Run: git init, and make the first commit.")
        return ConfigError(f"git cannot read {self.folder}: {asked.words}", "Mend the repository.")


def _is_empty_repository(path: Path) -> bool:
    """One that an agent has made and put nothing in. There is nothing to commit in it."""
    return (path / ".git").is_dir() and len(list(path.iterdir())) == 1


@contextmanager
def _text_file(text: str) -> Generator[Path]:
    """Longer than a command line may be, and with no NUL, which git takes for the end."""
    with tempfile.NamedTemporaryFile(prefix="ralph-message-") as file:
        file.write(text.replace("\0", "").encode(errors="replace"))
        file.flush()
        yield Path(file.name)
