"""spec-kit: `specs/###-name/tasks.md`, with spec.md and plan.md beside it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ralph.app.exchange.boxes import closed_by, plain, tick
from ralph.app.exchange.formats import FileFormat, SourceTask, folder_in
from ralph.app.exchange.markdown import Box, Heading, marked
from ralph.app.exchange.ordering import one_after_another
from ralph.app.exchange.plan import Item, Plan
from ralph.app.exchange.source_file import SourceFile, read_source
from ralph.model.errors import ConfigError

TASKS = "tasks.md"
PHASE = 2
"""The level of the headings above the tasks."""
DOCUMENTS = ("spec.md", "plan.md")
OTHER_DOCUMENTS = ("data-model.md", "research.md", "quickstart.md")
_TASK = re.compile(r"\*{0,2}(T\d{1,6}[a-z]?)\*{0,2}:?((?:\s*\[[A-Za-z0-9-]+\])*)\s*(.*)", re.DOTALL)
_DEPENDS = re.compile(r"\(depends on ([^)]*)\)", re.IGNORECASE)
_ID = re.compile(r"T\d{1,6}[a-z]?")
_BRANCH_NUMBER = re.compile(r"\d{3,}-")


class SpecKit(FileFormat):
    def found(self, project: Path) -> Iterator[str]:
        for folder in sorted((project / "specs").glob("*/")):
            if not folder.is_symlink() and (folder / TASKS).is_file() and (folder / DOCUMENTS[0]).is_file():
                yield folder.relative_to(project).as_posix()

    def fits(self, project: Path, given: str) -> bool:
        path = project / given
        folder = path.parent if path.name == TASKS else path
        documents = [name for name in DOCUMENTS if (folder / name).is_file()]
        return (folder / TASKS).is_file() and (bool(documents) or bool(_BRANCH_NUMBER.match(folder.name)))

    def file_of(self, project: Path, given: str) -> str:
        return f"{given.rstrip('/')}/{TASKS}" if folder_in(project, given) else given

    def entries(self, text: str, name: str, part: str) -> list[SourceTask]:
        del name, part
        tasks = list(_tasks(text))
        groups: list[list[str]] = []
        before: _Line | None = None
        for task in tasks:
            is_beside = task.is_parallel and before and before.is_parallel and before.phase == task.phase
            groups += [] if is_beside else [[]]
            groups[-1].append(task.id)
            before = task
        order = one_after_another(groups)
        return [SourceTask(_item(task, number, order[task.id]), tick([task.box])) for number, task in enumerate(tasks)]

    def plans(self, project: Path, file: SourceFile) -> list[Plan]:
        entries = self.entries(file.text, file.name, "")
        if not entries:
            raise ConfigError(f'{file.name} has no box with a task such as "- [ ] T001 ...".', "Is it the right file?")
        folder = file.name.rpartition("/")[0] or "."
        texts = {each: _document(project, f"{folder}/{each}") for each in DOCUMENTS}
        there = [each for each in (*DOCUMENTS, *OTHER_DOCUMENTS) if (file.path.parent / each).is_file()]
        files = tuple(f"{folder}/{each}".removeprefix("./") for each in there)
        items = tuple(replace(entry.item, relevant_files=files) for entry in entries)
        spec = marked(texts[DOCUMENTS[0]])
        title = re.sub(r"^(?:Feature Specification|Tasks):\s*", "", spec.title or marked(file.text).title)
        return [
            Plan(
                format="spec-kit",
                source=file.name,
                name=file.path.parent.name,
                title=title or file.path.parent.name,
                text="\n\n".join(text.strip() for text in texts.values() if text) or file.text,
                items=items,
                notes=marked(file.text).notes,
            )
        ]


READER = SpecKit()


class _Line(NamedTuple):
    """A checkbox that is a task."""

    box: Box
    id: str
    is_parallel: bool
    title: str
    phase: str
    """The heading above it."""
    below: str
    """The lines that are indented below it."""


def _tasks(text: str) -> Iterator[_Line]:
    parts = marked(text).parts
    phase = ""
    for number, part in enumerate(parts):
        if isinstance(part, Heading):
            phase = part.text if part.level <= PHASE else phase
        elif task := _TASK.fullmatch(part.text):
            end = parts[number + 1].start if number + 1 < len(parts) else len(text)
            yield _Line(part, task[1], "[P]" in task[2], task[3] or task[1], phase, _indented(text[part.end : end]))


def _indented(text: str) -> str:
    """The lines that belong to a box: those indented below it, up to the first that is not."""
    lines: list[str] = []
    for line in plain(text).split("\n")[1:]:
        if line.strip() and not line.startswith((" ", "\t")):
            break
        lines.append(line.strip())
    return "\n".join(lines).strip()


def _item(task: _Line, number: int, before: tuple[str, ...]) -> Item:
    named = [each for listed in _DEPENDS.findall(task.box.text) for each in _ID.findall(listed)]
    return Item(
        id=task.id,
        title=task.title,
        text=f"{task.box.text}\n{task.below}",
        description="\n\n".join(each for each in (task.phase, task.box.text, task.below) if each),
        closed=closed_by([task.box]),
        depends_on=tuple(dict.fromkeys((*before, *named))),
        priority=number,
    )


def _document(project: Path, name: str) -> str:
    return read_source(project, name).text if (project / name).is_file() else ""
