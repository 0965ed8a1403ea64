"""The files of a spec in the project's `.ralph/` folder, never reached through a link that an agent may have put
there.
"""

import os
import secrets
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from ralph.store.files import write_all
from ralph.store.state_dir import NAME

TEXT = "spec.md"
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def read_spec_file(project: Path, spec: str, name: str, *, most: int) -> bytes | None:
    """The content; None if there is no plain file of that name, or if it is too large."""
    try:
        with _folder(project, spec) as folder:
            file = os.open(name, READ, dir_fd=folder)
            try:
                about = os.fstat(file)
                if not stat.S_ISREG(about.st_mode) or about.st_size > most:
                    return None
                with os.fdopen(os.dup(file), "rb") as stream:
                    return stream.read(most)
            finally:
                os.close(file)
    except OSError:
        return None


def write_spec_file(project: Path, spec: str, name: str, data: bytes) -> None:
    """Write the whole file or nothing: a concurrent reader sees the old one."""
    with _folder(project, spec, make=True) as folder:
        fresh = f".{name}.{secrets.token_hex(4)}"
        file = os.open(fresh, NEW, 0o644, dir_fd=folder)
        try:
            write_all(file, data)
            os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(fresh, dir_fd=folder)
            raise
        finally:
            os.close(file)


def remove_spec_state(project: Path, spec: str) -> None:
    """Remove everything that ralph keeps about the spec there. The spec's text belongs to the project, and stays."""
    try:
        with _folder(project, spec) as folder:
            names = os.listdir(folder)  # noqa: PTH208 - pathlib knows no open folders
            for name in names:
                if name != TEXT:
                    _remove(name, folder)
    except FileNotFoundError:
        return
    if TEXT not in names:
        with suppress(OSError):
            (project / NAME / "specs" / spec).rmdir()


def _remove(name: str, folder: int) -> None:
    if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


@contextmanager
def _folder(project: Path, spec: str, *, make: bool = False) -> Generator[int]:
    folder = os.open(project, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in (NAME, "specs", spec):
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o755, dir_fd=folder)
            below = os.open(name, FOLDER, dir_fd=folder)
            os.close(folder)
            folder = below
        yield folder
    finally:
        os.close(folder)
