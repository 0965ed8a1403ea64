"""What a reader finds in a foreign plan, and what ralph keeps of it to write back."""

from typing import Any

import msgspec
from msgspec import Struct

from ralph.model.tasks import Task

KEY = "import"
"""The key in a task's metadata under which its origin is kept."""
DONE_BEFORE = "done before the import"


class Item(Struct, frozen=True, kw_only=True):
    """One task of a foreign plan."""

    id: str
    """The id in the plan, as it is written there."""
    title: str
    name: str = ""
    """The text from which the task's id is made, if that is not its own id."""
    text: str = ""
    """Everything that the plan says about it, to detect edits; empty means the title."""
    description: str = ""
    closed: str = ""
    """Why it is not run, such as "done before the import"; empty if it is open."""
    depends_on: tuple[str, ...] = ()
    """The ids of the same plan that it depends on."""
    acceptance: tuple[str, ...] = ()
    priority: int = 0
    relevant_files: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.text or self.title)


class Plan(Struct, frozen=True, kw_only=True):
    """A foreign plan, which becomes one spec."""

    format: str
    source: str
    """The source that `sync` writes to: a path relative to the project, or the URL of an issue."""
    part: str = ""
    """The part of the source, such as the tag of a task-master file."""
    name: str
    """The text from which the id of the spec is made."""
    title: str
    text: str = ""
    """The text of the spec, in Markdown."""
    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()
    """What a person should know about how it was read."""


class Origin(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a task came from, as kept in the task's metadata."""

    format: str
    source: str
    id: str
    part: str = ""
    fingerprint: str = ""
    note: str = ""
    """Why it was skipped at the import."""

    @property
    def data(self) -> dict[str, Any]:
        return msgspec.to_builtins(self)


def origin_of(task: Task) -> Origin | None:
    """The origin; None for a task that was not imported, or if the key holds something else."""
    try:
        return msgspec.convert(task.metadata.get(KEY), Origin)
    except msgspec.ValidationError:
        return None


def fingerprint(text: str) -> str:
    """A digest that is the same for texts that differ only in blanks and line ends."""
    import hashlib

    return hashlib.blake2b(" ".join(text.split()).encode(errors="replace"), digest_size=16).hexdigest()
