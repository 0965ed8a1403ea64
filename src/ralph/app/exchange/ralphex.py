"""ralphex: a Markdown plan with `### Task N: title`, whose checkboxes are the steps of the task."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ralph.app.exchange.boxes import closed_by, plain, tick
from ralph.app.exchange.formats import FileFormat, SourceTask, is_file
from ralph.app.exchange.markdown import Box, Heading, marked
from ralph.app.exchange.ordering import one_after_another
from ralph.app.exchange.plan import Item, Plan
from ralph.app.exchange.source_file import SourceFile, read_source
from ralph.model.errors import ConfigError

PLANS = "docs/plans"
LEVEL = 3
_TASK = re.compile(r"(?:Task|Iteration)\s+([^:]+?)\s*:\s*(.*)")
_MARK = re.compile(r"(?m)^(\s*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[xX]\]")


class _Section(NamedTuple):
    id: str
    title: str
    body: str
    boxes: list[Box]


class Ralphex(FileFormat):
    def found(self, project: Path) -> Iterator[str]:
        for path in sorted((project / PLANS).glob("*.md")):
            name = path.relative_to(project).as_posix()
            if path.is_file() and self.fits(project, name):
                yield name

    def fits(self, project: Path, given: str) -> bool:
        if not is_file(project, given, ".md"):
            return False
        try:
            return any(True for _ in _sections(read_source(project, given).text))
        except ConfigError:
            return False

    def entries(self, text: str, name: str, part: str) -> list[SourceTask]:
        del name, part
        sections = list(_sections(text))
        order = one_after_another([[each.id] for each in sections])
        return [_entry(each, number, order[each.id]) for number, each in enumerate(sections)]

    def plans(self, project: Path, file: SourceFile) -> list[Plan]:
        del project
        entries = self.entries(file.text, file.name, "")
        if not entries:
            raise ConfigError(f'{file.name} has no "### Task 1: ..." with boxes.', "Is it the right file?")
        found = marked(file.text)
        title = found.title.removeprefix("Plan:").strip() or file.path.stem
        items = tuple(entry.item for entry in entries)
        return [
            Plan(
                format="ralphex",
                source=file.name,
                name=file.path.stem,
                title=title,
                text=file.text,
                items=items,
                notes=found.notes,
            )
        ]


READER = Ralphex()


def _sections(text: str) -> Iterator[_Section]:
    """The sections of tasks, each up to the next heading of its level or above. One without boxes is not a task."""
    parts = marked(text).parts
    for number, part in enumerate(parts):
        if not isinstance(part, Heading) or part.level != LEVEL or not (task := _TASK.fullmatch(part.text)):
            continue
        boxes: list[Box] = []
        end = len(text)
        for each in parts[number + 1 :]:
            if isinstance(each, Box):
                boxes.append(each)
            elif each.level <= LEVEL:
                end = each.start
                break
        if boxes:
            yield _Section(task[1], task[2] or part.text, plain(text[part.end : end]).strip(), boxes)


def _entry(section: _Section, number: int, before: tuple[str, ...]) -> SourceTask:
    # A box that somebody ticks does not count as a change of the text.
    unticked = _MARK.sub(r"\1[ ]", section.body)
    item = Item(
        id=section.id,
        name=f"TASK-{section.id}",
        title=section.title,
        text=f"{section.title}\n{unticked}",
        description=section.body,
        closed=closed_by(section.boxes),
        depends_on=before,
        priority=number,
    )
    return SourceTask(item, tick(section.boxes))
