"""The source of an agent's stream: one small interface, and the file in which the stream is recorded."""

import os
import stat
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from ralph.model.rows import Row

NOTHING = b""


class About(Struct, frozen=True):
    """What the row that begins an action says about its stream."""

    path: str
    """The path relative to the project."""
    format: str = ""
    streaming: bool = True


class _Body(Struct, frozen=True):
    stream: About | None = None


class Stream(Protocol):
    def read(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset` on; empty if there is nothing yet."""
        ...

    def end(self, size: int) -> bytes:
        """At most this many bytes at its end."""
        ...

    def changed_at(self) -> float:
        """When it last grew; 0 if that is not known."""
        ...


_body = msgspec.json.Decoder(_Body)


def about_stream(begun: Row) -> About | None:
    """What the row says about the stream of its action; None if there is no stream, or if this version of ralph cannot
    read the row.
    """
    try:
        return _body.decode(begun.body).stream
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def open_stream(project: Path, about: About) -> Stream:
    return FileStream(project / about.path)


class FileStream:
    """A stream in a file. It is opened for each look: a follower of thousands of streams keeps none of them open."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, offset: int, size: int) -> bytes:
        try:
            # The agent can reach the file: a link is not followed, and a pipe instead of it must not block ralph.
            handle = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return NOTHING
        try:
            return os.pread(handle, size, offset) if stat.S_ISREG(os.fstat(handle).st_mode) else NOTHING
        finally:
            os.close(handle)

    def changed_at(self) -> float:
        try:
            return os.lstat(self._path).st_mtime
        except OSError:
            return 0.0

    def end(self, size: int) -> bytes:
        try:
            there = os.lstat(self._path).st_size
        except OSError:
            return NOTHING
        return self.read(max(0, there - size), size)
