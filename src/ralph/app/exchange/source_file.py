"""A file of a foreign plan: read completely or refused, and changed so that no edit of another writer is lost."""

import codecs
import os
import stat
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from ralph.model.errors import ConfigError, StateError
from ralph.store.files import cannot_write, folder_lock, replace_file

LARGEST = 10_000_000
TRIES = 20
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class SourceFile(Struct, frozen=True):
    """The text of a file, and what is needed to write it back with the same bytes around a change."""

    path: Path
    name: str
    """The path relative to the project, with slashes."""
    raw: bytes
    text: str
    encoding: str
    mark: bytes = b""
    """The byte order mark at its beginning."""

    def with_text(self, text: str) -> bytes:
        return self.mark + text.encode(self.encoding)


def source_path(project: Path, given: str) -> Path:
    """The path of a source in the project. It raises a ConfigError for one outside, also behind a link."""
    path = Path(os.path.abspath(project / given))  # noqa: PTH100 - links are looked at below
    try:
        real = path.resolve(strict=True)
    except FileNotFoundError:
        raise ConfigError(f"there is no {given}.", "Name a file, a folder or an issue.") from None
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{given} cannot be read: {reason}.", "Name another file.") from None
    if not real.is_relative_to(project.resolve()):
        what = "is a link out of the project" if path.is_relative_to(project) else "is outside of the project"
        raise ConfigError(f"{given} {what}.", "Copy it into the project: ralph spec sync writes back to it there.")
    return real


def read_source(project: Path, given: str) -> SourceFile:
    path = source_path(project, given)
    name = path.relative_to(project.resolve()).as_posix()
    raw = _read(path, name)
    mark = next((each for each in _MARKS if raw.startswith(each)), b"")
    encoding = _MARKS.get(mark, "utf-8")
    try:
        text = raw[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        place = len(mark) + error.start + 1
        raise ConfigError(
            f"{name} is not {'UTF-8' if encoding == 'utf-8' else 'UTF-16'}: byte {place} is wrong.",
            "Save it as UTF-8 text.",
        ) from None
    if "\0" in text:
        raise ConfigError(f"{name} is not text: it has a byte 0.", "Save it as UTF-8 text.")
    return SourceFile(path, name, raw, text, encoding, mark)


def change_source(project: Path, given: str, change: Callable[[SourceFile], str]) -> SourceFile:
    """Write what `change` returns for the text of the file, and return the file as it is then.

    Only one ralph writes at a time. If another program has changed the file, `change` is called again with the new
    text, so that no edit is lost. The file is replaced completely or not at all.
    """
    with folder_lock(source_path(project, given).parent):
        for _ in range(TRIES):
            before = read_source(project, given)
            made = before.with_text(change(before))
            if made == before.raw:
                return before
            if _read(before.path, before.name) != before.raw:
                continue
            try:
                replace_file(before.path, made)
            except OSError as error:
                raise cannot_write(before.path, error, "Make it and its folder writable.") from None
            after = read_source(project, given)
            if after.raw == made:
                return after
    raise StateError(f"another program keeps changing {given}.", "Try again when it has finished.")


def _read(path: Path, name: str) -> bytes:
    """The content. It never waits for a pipe, and never holds more than `LARGEST` bytes."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigError(f"{name} cannot be read: {error.strerror}.", "Name another file.") from None
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise ConfigError(f"{name} is not a regular file.", "Name a file.")
        if about.st_size > LARGEST:
            size = f"{about.st_size / 1_000_000:.1f} MB"
            raise ConfigError(f"{name} has {size}; the limit is {LARGEST // 1_000_000} MB.", "Is it the right file?")
        return file.read(LARGEST + 1)
