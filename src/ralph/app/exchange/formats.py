"""The formats that ralph reads. One reader is one file of this package and one line here."""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from ralph.app.exchange.plan import Item, Origin, Plan
from ralph.app.exchange.programs import Programs
from ralph.app.exchange.source_file import SourceFile, change_source, read_source, source_path
from ralph.config.keys import nearest
from ralph.kernel.task_rules import shown
from ralph.model.errors import ConfigError

# name: module. The order is that in which a source is tried.
FORMATS = {
    "github": "ralph.app.exchange.github",
    "gitlab": "ralph.app.exchange.gitlab",
    "openspec": "ralph.app.exchange.openspec",
    "spec-kit": "ralph.app.exchange.spec_kit",
    "task-master": "ralph.app.exchange.task_master",
    "prd-json": "ralph.app.exchange.prd_json",
    "beads": "ralph.app.exchange.beads",
    "bmad": "ralph.app.exchange.bmad",
    "ralphex": "ralph.app.exchange.ralphex",
    "checklist": "ralph.app.exchange.checklist",
}


class Written(Struct, frozen=True):
    """What happened to one task in its source."""

    id: str
    """The original id."""
    is_new: bool = False
    """Whether it was marked as done now; otherwise it was marked before, or could not be."""
    problem: str = ""
    """Why it is not marked as done."""
    note: str = ""
    """Why there is nothing to mark."""


class Reader(Protocol):
    """One format."""

    def found(self, project: Path) -> Iterable[str]:
        """The project's plans of this format, in the places where its tool puts them."""
        ...

    def fits(self, project: Path, given: str) -> bool:
        """Whether the given name is of this format. It may be anything: a path, a URL, nonsense."""
        ...

    async def read(self, programs: Programs, given: str) -> list[Plan]:
        """The plans in the given source. A ConfigError says why there are none."""
        ...

    async def mark_done(self, programs: Programs, source: str, part: str, done: Sequence[Origin]) -> list[Written]:
        """Mark these tasks as done in the source, with one answer for each. Every mark is read back."""
        ...


def reader(name: str) -> Reader:
    if name not in FORMATS:
        meant = nearest(name, FORMATS)
        raise ConfigError(f"there is no format {shown(name)}; the nearest is {meant}.", f"Known: {', '.join(FORMATS)}.")
    return import_module(FORMATS[name]).READER


def readers() -> Iterator[tuple[str, Reader]]:
    return ((name, reader(name)) for name in FORMATS)


class Edit(Struct, frozen=True, order=True):
    """An edit that replaces the text between two positions of a source."""

    start: int
    end: int
    text: str


class SourceTask(Struct, frozen=True):
    """A task of a source, and the edits that mark it as done."""

    item: Item
    edits: tuple[Edit, ...] = ()
    """The edits; empty if it is already marked as done."""


class FileFormat:
    """A format whose source is one file. A format parses a text; this class reads and writes the file."""

    def entries(self, text: str, name: str, part: str) -> list[SourceTask]:
        """The tasks of one part of a text. `name` is the file's name for errors."""
        raise NotImplementedError

    def plans(self, project: Path, file: SourceFile) -> list[Plan]:
        raise NotImplementedError

    def file_of(self, project: Path, given: str) -> str:
        """The file, also if the user names its folder."""
        del project
        return given

    async def read(self, programs: Programs, given: str) -> list[Plan]:
        project = programs.project
        return self.plans(project, read_source(project, self.file_of(project, given)))

    async def mark_done(self, programs: Programs, source: str, part: str, done: Sequence[Origin]) -> list[Written]:
        answers: list[Written] = []

        def change(file: SourceFile) -> str:
            text, answers[:] = marked_done(file.text, self.entries(file.text, file.name, part), done)
            return text

        change_source(programs.project, source, change)
        return answers


def marked_done(text: str, entries: Sequence[SourceTask], done: Sequence[Origin]) -> tuple[str, list[Written]]:
    """The text in which these are marked as done, and the result of each. A task whose text has changed stays."""
    edits: list[Edit] = []
    answers: list[Written] = []
    for origin in done:
        same_id = [each for each in entries if each.item.id == origin.id]
        same = [each for each in same_id if each.item.fingerprint == origin.fingerprint]
        if not same_id:
            answers.append(Written(origin.id, problem="it no longer exists"))
        elif not same:
            answers.append(Written(origin.id, problem="its text has changed since the import"))
        elif len(same) > 1:
            answers.append(Written(origin.id, problem=f"it is there {len(same)} times"))
        else:
            edits += same[0].edits
            answers.append(Written(origin.id, is_new=bool(same[0].edits)))
    for edit in sorted(set(edits), key=lambda each: each.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text, answers


def is_file(project: Path, given: str, *endings: str) -> bool:
    """Whether `given` names a file in the project with one of these extensions."""
    if not given.lower().endswith(endings):
        return False
    return (project / given).exists() and not (project / given).is_dir()


def folder_in(project: Path, given: str) -> Path | None:
    """The folder of that name in the project."""
    return source_path(project, given) if (project / given).is_dir() else None
