"""Files that were made to prepare a worktree, such as dependencies: cleaning keeps them, and changes are detected."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from ralph.git.folders import make_writable
from ralph.store.files import write_new

LARGEST_READ = 1 << 20
MOST_READ = 64 << 20


class KeptFile(NamedTuple):
    mode: int
    size: int
    modified: int
    changed: int
    """When the inode changed, which no program can set back."""
    inode: int
    content: str = ""
    """The digest of the content; empty if the file is too large to be read."""


_Record = tuple[dict[bytes, KeptFile], list[bytes]]


class KeptFiles:
    """The files as they were when they were made. Paths are relative to the top."""

    def __init__(self, top: Path, files: dict[str, KeptFile], folders: set[str]) -> None:
        self._top = top
        self._files = files
        self._folders = folders | {parent for path in (*files, *folders) for parent in _parents(path)}

    @classmethod
    def made(cls, top: Path, roots: Iterable[str]) -> "KeptFiles":
        """Everything below the roots now."""
        files: dict[str, KeptFile] = {}
        folders: set[str] = set()
        budget = MOST_READ
        for path, about in sorted(_walk(top, (root.rstrip("/") for root in roots))):
            if stat.S_ISDIR(about.st_mode):
                folders.add(path)
                continue
            content = _content(top / path, about) if about.st_size <= min(LARGEST_READ, budget) else ""
            budget -= about.st_size if content else 0
            files[path] = _kept(about, content)
        return cls(top, files, folders)

    @classmethod
    def load(cls, top: Path, record: Path) -> "KeptFiles | None":
        """The files as another process recorded them. The caller must check by the digest whether that is true."""
        try:
            files, folders = msgspec.msgpack.decode(record.read_bytes(), type=_Record)
        except (OSError, msgspec.MsgspecError):
            return None
        return cls(top, {os.fsdecode(path): file for path, file in files.items()}, set(map(os.fsdecode, folders)))

    def save(self, record: Path) -> None:
        files = {os.fsencode(path): file for path, file in self._files.items()}
        write_new(record, msgspec.msgpack.encode((files, [os.fsencode(path) for path in self._folders])))

    def __len__(self) -> int:
        return len(self._files)

    @property
    def digest(self) -> str:
        """The digest over names, modes, sizes and contents; for a content that is not read, over the time of its last
        change.
        """
        made = hashlib.sha256()
        for path, file in self._files.items():
            what = file.content or str(file.modified)
            made.update(os.fsencode(f"{path}\0{file.mode:o}\0{file.size}\0{what}\n"))
        return made.hexdigest() if self._files else ""

    def changes(self) -> list[str]:
        """The files that changed or are missing."""
        return [path for path, file in self._files.items() if self._differs(path, file)]

    def has(self, path: str) -> bool:
        return path in self._files or path.rstrip("/") in self._folders

    def sweep(self, path: str) -> None:
        """Delete what is at this path, except for these files."""
        place = self._top / path
        if path in self._files:
            return
        if path not in self._folders or place.is_symlink() or not place.is_dir():
            delete(place)
            return
        for entry in place.iterdir():
            self.sweep(f"{path}/{entry.name}")

    def _differs(self, path: str, file: KeptFile) -> bool:
        try:
            about = (self._top / path).lstat()
        except OSError:
            return True
        if _kept(about, file.content) == file:
            return False
        if not file.content or (about.st_mode, about.st_size) != (file.mode, file.size):
            return True
        if _content(self._top / path, about) != file.content:
            return True
        self._files[path] = _kept(about, file.content)
        return False


def delete(path: Path) -> None:
    """Delete a file, a link, or a folder with everything in it, even if it was made read-only."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    shutil.rmtree(path, ignore_errors=True)
    if path.exists():
        make_writable(path)
        shutil.rmtree(path)


def special_files(top: Path) -> Iterator[str]:
    """Pipes, sockets and devices, which git does not see."""
    waiting = [str(top)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif not entry.is_symlink():
                    yield os.path.relpath(entry.path, top)


def _walk(top: Path, roots: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below the roots. Links are not followed."""
    waiting = list(roots)
    while waiting:
        path = waiting.pop()
        try:
            about = (top / path).lstat()
        except OSError:
            continue
        yield path, about
        if stat.S_ISDIR(about.st_mode):
            waiting += [f"{path}/{entry.name}" for entry in (top / path).iterdir()]


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _kept(about: os.stat_result, content: str) -> KeptFile:
    return KeptFile(about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino, content)


def _content(path: Path, about: os.stat_result) -> str:
    """The digest of the content, or of a link's target; empty for what is neither file nor link."""
    try:
        if stat.S_ISLNK(about.st_mode):
            return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
        return hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(about.st_mode) else ""
    except OSError:
        return ""
