"""The files of a run below a project's `.ralph/`, and their removal. No link can lead out of it."""

import errno
import os
import shutil
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from ralph.store.state_dir import NAME

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
RUNS = "runs"
REMOVED = ".removed-"
"""The prefix of a directory between the removal of its run and its own removal."""
ELSEWHERE = "@"
"""The prefix of a directory in there that came from elsewhere; the rest is its path below `.ralph/`."""


class RunFiles:
    """The files of runs. `root` is the open `.ralph/`, `folder` the directory of the runs in it."""

    def __init__(self, root: int, folder: int) -> None:
        self._root = root
        self._folder = folder

    def size(self, run_id: str, elsewhere: Iterable[str] = ()) -> int:
        """The bytes in the run's directory, and in its directories elsewhere below `.ralph/`."""
        total = _size(run_id, self._folder)
        for path in elsewhere:
            with self._parent(path) as parent:
                total += _size(PurePosixPath(path).name, parent) if parent is not None else 0
        return total

    def put_aside(self, run_id: str, elsewhere: Iterable[str] = ()) -> None:
        with suppress(FileNotFoundError):
            os.rename(run_id, REMOVED + run_id, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        for path in elsewhere:
            with self._parent(path) as parent:
                if parent is not None and _is_directory(PurePosixPath(path).name, parent):
                    self._take(path, parent, REMOVED + run_id)

    def put_back(self, run_id: str) -> None:
        aside = REMOVED + run_id
        if not _is_directory(aside, self._folder):
            return
        self._return_elsewhere(aside)
        try:
            os.rename(aside, run_id, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            self._put_into(run_id)

    @property
    def set_aside(self) -> list[str]:
        """The runs whose directories were set aside, also by a removal that was killed."""
        names = os.listdir(self._folder)  # noqa: PTH208 - pathlib knows no open folders
        return [name.removeprefix(REMOVED) for name in names if name.startswith(REMOVED)]

    def remove_put_aside(self, run_id: str) -> None:
        name = REMOVED + run_id
        if not _is_directory(name, self._folder):
            os.unlink(name, dir_fd=self._folder)
            return
        with ExitStack() as opened:
            held = [unquote(each[1:]) for each in _names(_opened(name, self._folder, opened)) if each[0] == ELSEWHERE]
        shutil.rmtree(name, dir_fd=self._folder)
        for path in held:
            self._drop_empty_parents(path)

    def _take(self, path: str, parent: int, aside: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(aside, dir_fd=self._folder)
        with ExitStack() as opened:
            into = _opened(aside, self._folder, opened)
            name = ELSEWHERE + quote(path, safe="")
            os.rename(PurePosixPath(path).name, name, src_dir_fd=parent, dst_dir_fd=into)

    def _return_elsewhere(self, aside: str) -> None:
        with ExitStack() as opened:
            held = _opened(aside, self._folder, opened)
            for name in _names(held):
                if name[0] == ELSEWHERE:
                    path = unquote(name[1:])
                    with self._parent(path, make=True) as parent:
                        if parent is not None:
                            os.rename(name, PurePosixPath(path).name, src_dir_fd=held, dst_dir_fd=parent)
            is_empty = not _names(held)
        if is_empty:
            os.rmdir(aside, dir_fd=self._folder)

    def _drop_empty_parents(self, path: str) -> None:
        """Remove the folder of a task or a role if its last iteration is gone."""
        above = PurePosixPath(path).parent
        while len(above.parts) > len(("specs", "spec")):
            with self._parent(str(above)) as parent:
                if parent is None:
                    return
                try:
                    os.rmdir(above.name, dir_fd=parent)
                except OSError:
                    return
            above = above.parent

    @contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Generator[int | None]:
        """The open folder that holds a path below `.ralph/`; None if it does not exist, or is a link."""
        with ExitStack() as opened:
            folder = self._root
            try:
                for name in PurePosixPath(path).parent.parts:
                    if make:
                        with suppress(FileExistsError):
                            os.mkdir(name, dir_fd=folder)
                    folder = _opened(name, folder, opened)
            except OSError:
                yield None
                return
            yield folder

    def _put_into(self, run_id: str) -> None:
        """Move the files into the run's new directory, because the run continued meanwhile. No two attempts share a
        name.
        """
        with ExitStack() as opened:
            old, new = (_opened(name, self._folder, opened) for name in (REMOVED + run_id, run_id))
            for name in _names(old):
                os.rename(name, name, src_dir_fd=old, dst_dir_fd=new)
        os.rmdir(REMOVED + run_id, dir_fd=self._folder)


@contextmanager
def run_files(project: str) -> Generator[RunFiles | None]:
    """The files of the project at this path; None if it or its folder is gone. A link instead of the folder is an
    OSError.
    """
    with ExitStack() as opened:
        if not project or not Path(project).is_dir():
            yield None
            return
        try:
            root = _opened(f"{project}/{NAME}", None, opened)
            folder = _opened(RUNS, root, opened)
        except FileNotFoundError:
            yield None
            return
        yield RunFiles(root, folder)


def _opened(name: str, folder: int | None, opened: ExitStack) -> int:
    handle = os.open(name, DIRECTORY, dir_fd=folder)
    opened.callback(os.close, handle)
    return handle


def _names(folder: int) -> list[str]:
    return os.listdir(folder)


def _is_directory(name: str, folder: int) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _size(name: str, folder: int) -> int:
    """The bytes in a directory; 0 if there is none."""
    return sum(_sizes(name, folder)) if _is_directory(name, folder) else 0


def _sizes(name: str, folder: int) -> Iterator[int]:
    for _, _, files, directory in os.fwalk(name, dir_fd=folder):
        for file in files:
            yield os.stat(file, dir_fd=directory, follow_symlinks=False).st_size
