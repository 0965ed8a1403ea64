"""The project's `.ralph/` folder: one directory for each attempt, and the lock that keeps a second loop out."""

import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ralph.kernel.actions import RunAgent
from ralph.model.errors import ConfigError, StateError
from ralph.store.files import cannot_write, is_utf8, write_new

NAME = ".ralph"
ELSEWHERE = "Run ralph in a directory that you may write."
STATE = ("runs/", "worktrees/", "lock", "*.lock", "guardrail_*.log", "settings.local.json")
"""What in it is nobody's to commit; settings and specs are."""
IGNORED = ("# The state of ralph: never committed, neither by ralph nor by an agent.", ".gitignore", *STATE)


def directory_name(action: RunAgent, attempt: int = 1) -> str:
    """Where an agent's call is recorded below `runs/<run>/`. No two calls of a run share a directory."""
    name = f"iteration-{action.iteration}" + ("" if action.purpose == "work" else f"/{action.purpose}")
    name += f"-retry-{action.retry}" if action.retry else ""
    name += "-shortened" if action.shortened else ""
    return name if attempt == 1 else f"{name}.{attempt}"


class StateDir:
    def __init__(self, project: Path) -> None:
        self.project = project
        self.root = project / NAME

    def attempt_dir(self, run_id: str, name: str) -> Path:
        """A new directory below `runs/<run>/`. An earlier attempt's directory is never used again."""
        path = self.run_dir(run_id) / name
        self._refuse_links(run_id)
        try:
            path.mkdir()
        except FileExistsError:
            pass
        except FileNotFoundError:
            # The first of this run, or the agent has taken the folder away.
            path.mkdir(parents=True, exist_ok=True)
        return path

    def run_dir(self, run_id: str) -> Path:
        return self.root / "runs" / run_id

    def relative(self, path: Path) -> str:
        return str(path.relative_to(self.project))

    def path(self, relative: str) -> Path:
        return self.project / relative

    def create(self) -> None:
        if not is_utf8(self.project):
            # The database could not tell it from another.
            raise ConfigError(f"the path {str(self.project)!a} is not UTF-8.", "Rename the directory.")
        try:
            self._refuse_links()
            (self.root / "runs").mkdir(parents=True, exist_ok=True)
            self._ignore()
        except OSError as error:
            raise cannot_write(self.root, error, ELSEWHERE) from error

    def _ignore(self) -> None:
        """The lines that keep state out of commits, also where an older ralph or a user wrote the file."""
        file = self.root / ".gitignore"
        there = file.read_text(errors="surrogateescape").splitlines() if file.is_file() else []
        missing = [line for line in IGNORED if line not in there]
        if missing:
            text = "\n".join([*there, *missing, ""])
            write_new(file, text.encode(errors="surrogateescape"))

    @contextmanager
    def locked(self, name: str = "lock") -> Generator[None]:
        """One loop at a time in a tree. The kernel drops the lock with the process, so none is ever stale."""
        self.create()
        path = self.root / name
        try:
            handle = _take_lock(path)
        except OSError as error:
            raise cannot_write(path, error, ELSEWHERE) from error
        try:
            yield
        finally:
            os.close(handle)

    def _refuse_links(self, run_id: str = "") -> None:
        """An agent may have put a link to somewhere else in the place of a directory of ours."""
        for name in (str(self.root), f"{self.root}/runs", f"{self.root}/runs/{run_id}"):
            try:
                if stat.S_ISLNK(os.lstat(name).st_mode):
                    raise StateError(
                        f"{name} has become a symbolic link.", "Remove it: ralph writes in its own folder."
                    )
            except FileNotFoundError:
                return


def _take_lock(path: Path) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    except BlockingIOError:
        holder = os.pread(handle, 32, 0).decode(errors="replace").strip() or "unknown"
        os.close(handle)
        raise ConfigError(
            f"another ralph loop runs in this directory (pid {holder}).", "Wait for it, or stop it first."
        ) from None
    except OSError:
        os.close(handle)
        raise
    return handle
