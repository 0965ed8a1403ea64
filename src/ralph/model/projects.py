"""A project: a directory with work in it. Its id stays the same when the directory moves."""

from msgspec import Struct


class Project(Struct, frozen=True, rename="camel"):
    id: str
    """A short and stable slug of the name."""
    name: str
    remote: str = ""
    """The URL that git fetches from, without credentials."""
    path: str = ""
    """The path on this machine; empty if the project is not here."""


class Contents(Struct, frozen=True, rename="camel"):
    """How much the store holds for a project."""

    created_at: float
    specs: int
    tasks: int
    runs: int


class Located(Struct, frozen=True, omit_defaults=True):
    """A path that means the same on another machine: inside the project, or absolute on one host."""

    path: str
    host: str = ""
    """The host of an absolute path; empty if `path` is relative to the project."""
