"""The project's `.ralph/` folder: one directory for each attempt, and the lock that keeps a second loop out."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ralph.model.errors import ConfigError, StateError
from ralph.store.files import cannot_write, is_utf8, write_new
from ralph.store.lock_file import Held, LockFile, remove_abandoned

NAME = ".ralph"
ELSEWHERE = "Run ralph in a directory that you may write."
STATE = (
    "runs/",
    "worktrees/",
    "specs/*/iterations/",
    "specs/*/final/",
    "specs/*/codebase-analysis.json",
    "lock",
    "*.lock",
    "guardrail_*.log",
    "settings.local.json",
)
"""The paths in it that must not be committed. Settings and specs may be."""
IGNORED = ("# The state of ralph: never committed, neither by ralph nor by an agent.", ".gitignore", *STATE)


class StateDir:
    def __init__(self, project: Path) -> None:
        self.project = project
        self.root = project / NAME
        self._prefix = f"{project}/"

    def make(self, path: Path) -> Path:
        """Create a directory below `.ralph/` if it does not exist, never through a link."""
        # Path objects would cost several times as much as the calls, in each iteration.
        name = str(path)
        self._refuse_links(os.path.dirname(name))  # noqa: PTH120
        try:
            os.mkdir(name)  # noqa: PTH102
        except FileExistsError:
            pass
        except FileNotFoundError:
            # It is the first one of its run, or the agent has removed the folder.
            path.mkdir(parents=True, exist_ok=True)
        return path

    def run_dir(self, run_id: str) -> Path:
        return self.root / "runs" / run_id

    def relative(self, path: Path) -> str:
        """The path as the journal has it. It is text, because it is needed several times in each iteration."""
        return str(path).removeprefix(self._prefix)

    def path(self, relative: str) -> Path:
        return self.project / relative

    def create(self) -> None:
        if not is_utf8(self.project):
            # The database could not distinguish it from another.
            raise ConfigError(f"the path {str(self.project)!a} is not UTF-8.", "Rename the directory.")
        try:
            self._refuse_links(str(self.root / "runs"))
            (self.root / "runs").mkdir(parents=True, exist_ok=True)
            self._ignore()
        except OSError as error:
            raise cannot_write(self.root, error, ELSEWHERE) from error

    def _ignore(self) -> None:
        """Add the lines that keep state out of commits, even if an older ralph or a user wrote the file."""
        file = self.root / ".gitignore"
        there = file.read_text(errors="surrogateescape").splitlines() if file.is_file() else []
        missing = [line for line in IGNORED if line not in there]
        if missing:
            text = "\n".join([*there, *missing, ""])
            write_new(file, text.encode(errors="surrogateescape"))

    @contextmanager
    def locked(self, name: str = "lock") -> Generator[None]:
        """Hold the lock, so that one loop at a time runs in a tree. No file of the lock is left when it is free."""
        self.create()
        path = self.root / name
        try:
            lock = LockFile(path)
        except Held as error:
            raise ConfigError(
                f"another ralph loop runs in this directory (pid {error.holder}).", "Wait for it, or stop it first."
            ) from None
        except OSError as error:
            raise cannot_write(path, error, ELSEWHERE) from error
        try:
            yield
        finally:
            lock.close()
            remove_abandoned(self.root)

    def _refuse_links(self, folder: str) -> None:
        """Refuse a link: an agent may have replaced one of our directories with a link to somewhere else."""
        name = str(self.root)
        below = folder.removeprefix(name).split("/")
        for part in below:
            name = f"{name}/{part}" if part else name
            try:
                if stat.S_ISLNK(os.lstat(name).st_mode):
                    raise StateError(
                        f"{name} has become a symbolic link.", "Remove it: ralph writes in its own folder."
                    )
            except FileNotFoundError:
                return
