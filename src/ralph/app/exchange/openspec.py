"""OpenSpec: a change with proposal.md, design.md, tasks.md and the specs that it changes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph.app.exchange.boxes import closed_by, steps, tick
from ralph.app.exchange.formats import FileFormat, SourceTask, folder_in
from ralph.app.exchange.markdown import Box, Heading, marked, with_children
from ralph.app.exchange.ordering import one_after_another
from ralph.app.exchange.plan import Item, Plan
from ralph.app.exchange.programs import Programs
from ralph.app.exchange.source_file import SourceFile, read_source, source_path
from ralph.model.errors import ConfigError

CHANGES = "openspec/changes"
TASKS, PROPOSAL = "tasks.md", "proposal.md"
ARCHIVE = "archive"
_NUMBERED = re.compile(r"(\d+(?:\.\d+)*)[.)]?\s+(.*)", re.DOTALL)


class _Told(Struct, rename="camel"):
    """The part of the answer of `openspec instructions apply --json` that matters here."""

    context_files: dict[str, list[str]]
    tasks: list[Any]


class OpenSpec(FileFormat):
    def found(self, project: Path) -> Iterator[str]:
        for folder in sorted((project / CHANGES).glob("*/")):
            if folder.name != ARCHIVE and not folder.is_symlink() and (folder / TASKS).is_file():
                yield folder.relative_to(project).as_posix()

    def fits(self, project: Path, given: str) -> bool:
        path = project / given
        folder = path.parent if path.name == TASKS else path
        if not (folder / TASKS).is_file():
            return False
        return (folder / PROPOSAL).is_file() or folder.parent.as_posix().endswith(CHANGES)

    def file_of(self, project: Path, given: str) -> str:
        return f"{given.rstrip('/')}/{TASKS}" if folder_in(project, given) else given

    async def read(self, programs: Programs, given: str) -> list[Plan]:
        """The plans. If openspec is installed, it says which files belong to the change and which tasks it counts."""
        project = programs.project
        file = read_source(project, self.file_of(project, given))
        is_change = file.name.startswith(f"{CHANGES}/") and file.path.name == TASKS
        if not is_change or not programs.has("openspec"):
            return self.plans(project, file)
        try:
            change = file.path.parent.name
            said = await programs.ask("openspec", "instructions", "apply", "--change", change, "--json")
            told = msgspec.json.decode(said, type=_Told)
        except (ConfigError, msgspec.DecodeError) as error:
            [plan] = self.plans(project, file)
            line = " ".join(str(error).split())
            return [replace(plan, notes=(*plan.notes, f"openspec could not be asked, so its files are read: {line}"))]
        [plan] = self._plans(project, file, _documents(project, told))
        return [replace(plan, notes=(*plan.notes, *_more_counted(told, file)))]

    def entries(self, text: str, name: str, part: str) -> list[SourceTask]:
        del name, part
        found = marked(text)
        grouped = [each for each in with_children(found.parts) if each[0].text]
        ids = [_id(box) for box, _ in grouped]
        order = one_after_another([[each] for each in ids])
        return [
            _entry(box, below, _group(found.headings, box), number, order[each])
            for number, (each, (box, below)) in enumerate(zip(ids, grouped, strict=True), 1)
        ]

    def plans(self, project: Path, file: SourceFile) -> list[Plan]:
        folder = file.path.parent
        paths = [folder / PROPOSAL, folder / "design.md", *sorted(folder.glob("specs/**/spec.md"))]
        return self._plans(project, file, [_name(project, path) for path in paths if path.is_file()])

    def _plans(self, project: Path, file: SourceFile, documents: list[str]) -> list[Plan]:
        entries = self.entries(file.text, file.name, "")
        if not entries:
            raise ConfigError(f'{file.name} has no box such as "- [ ] 1.1 text".', "Is it the right file?")
        others = [each for each in documents if each != file.name]
        change = file.path.parent.name
        texts = [read_source(project, each).text.strip() for each in others]
        return [
            Plan(
                format="openspec",
                source=file.name,
                name=change,
                title=change.replace("-", " "),
                text="\n\n".join([f"# {change.replace('-', ' ')}", *texts]) + "\n",
                items=tuple(replace(entry.item, relevant_files=tuple(others)) for entry in entries),
                notes=marked(file.text).notes,
            )
        ]


READER = OpenSpec()


def _id(box: Box) -> str:
    """The number at its beginning; a task without one is identified by its text."""
    numbered = _NUMBERED.fullmatch(box.text)
    return numbered[1] if numbered else box.text


def _entry(box: Box, below: list[Box], group: str, number: int, before: tuple[str, ...]) -> SourceTask:
    numbered = _NUMBERED.fullmatch(box.text)
    item = Item(
        id=_id(box),
        name="" if numbered else f"TASK-{number}",
        title=numbered[2] if numbered else box.text,
        text="\n".join(each.text for each in (box, *below)),
        description="\n\n".join(each for each in (group, box.text, steps(below)) if each),
        closed=closed_by([box, *below]),
        depends_on=before,
        priority=number,
    )
    return SourceTask(item, tick([box, *below]))


def _group(headings: list[Heading], box: Box) -> str:
    return next((each.text for each in reversed(headings) if each.start < box.start), "")


def _documents(project: Path, told: _Told) -> list[str]:
    """The files that openspec names. Files outside the project are not part of the change."""
    listed = [Path(each) for files in told.context_files.values() for each in files]
    return [_name(project, path) for path in listed if path.is_file()]


def _more_counted(told: _Told, file: SourceFile) -> list[str]:
    """The difference in counts: openspec also counts checkboxes in code fences, which are text here."""
    extra = len(told.tasks) - len(marked(file.text).boxes)
    number = "1 box" if extra == 1 else f"{extra} boxes"
    return [f"openspec counts {number} more, in code fences or comments: they are text"] if extra > 0 else []


def _name(project: Path, path: Path) -> str:
    return source_path(project, str(path)).relative_to(project.resolve()).as_posix()
