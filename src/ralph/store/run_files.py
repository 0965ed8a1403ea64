"""The folder of a project's runs, opened so that no link leads out of it, and the removal of what a run wrote there."""

import os
import shutil
import stat
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ralph.store.state_dir import NAME

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
REMOVED = ".removed-"
"""How a directory is called between the removal of its run and its own."""


class RunFiles:
    def __init__(self, folder: int) -> None:
        self._folder = folder

    def size(self, run_id: str) -> int:
        """Bytes in the run's directory; 0 if there is none."""
        if not self._is_directory(run_id):
            return 0
        return sum(
            os.stat(file, dir_fd=directory, follow_symlinks=False).st_size
            for _, _, files, directory in os.fwalk(run_id, dir_fd=self._folder)
            for file in files
        )

    def put_aside(self, run_id: str) -> None:
        with suppress(FileNotFoundError):
            os.rename(run_id, REMOVED + run_id, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def put_back(self, run_id: str) -> None:
        with suppress(FileNotFoundError):
            os.rename(REMOVED + run_id, run_id, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def remove_put_aside(self) -> None:
        """All of them: also what an earlier removal that was killed left behind."""
        for name in os.listdir(self._folder):  # noqa: PTH208 - pathlib knows no open folders
            if not name.startswith(REMOVED):
                continue
            if self._is_directory(name):
                shutil.rmtree(name, dir_fd=self._folder)
            else:
                os.unlink(name, dir_fd=self._folder)

    def _is_directory(self, name: str) -> bool:
        try:
            return stat.S_ISDIR(os.stat(name, dir_fd=self._folder, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False


@contextmanager
def run_files(project: str) -> Generator[RunFiles | None]:
    """Nothing if the project or its folder is gone. A link where the folder should be is an OSError."""
    with ExitStack() as opened:
        folder = _open(project, opened)
        yield None if folder is None else RunFiles(folder)


def _open(project: str, opened: ExitStack) -> int | None:
    if not Path(project).is_dir():
        return None
    folder: int | None = None
    for name in (f"{project}/{NAME}", "runs"):
        try:
            folder = os.open(name, DIRECTORY, dir_fd=folder)
        except FileNotFoundError:
            return None
        opened.callback(os.close, folder)
    return folder
