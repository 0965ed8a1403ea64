"""A checklist: any Markdown file with checkboxes. Boxes that are indented below another one are its steps."""

from collections import Counter
from pathlib import Path

from ralph.app.exchange.boxes import closed_by, steps, tick
from ralph.app.exchange.formats import FileFormat, SourceTask, is_file
from ralph.app.exchange.markdown import Box, Heading, marked, with_children
from ralph.app.exchange.plan import Item, Plan
from ralph.app.exchange.source_file import SourceFile
from ralph.model.errors import ConfigError

ENDINGS = (".md", ".markdown", ".mdx", ".txt")


class Checklist(FileFormat):
    def found(self, project: Path) -> tuple[str, ...]:
        """An empty tuple: checkboxes occur in all kinds of texts, so a checklist must be named."""
        del project
        return ()

    def fits(self, project: Path, given: str) -> bool:
        return is_file(project, given, *ENDINGS)

    def entries(self, text: str, name: str, part: str) -> list[SourceTask]:
        del name, part
        return checklist_entries(text)

    def plans(self, project: Path, file: SourceFile) -> list[Plan]:
        del project
        found = marked(file.text)
        entries = self.entries(file.text, file.name, "")
        if not entries:
            within = f": {found.notes[0]}" if found.notes else ""
            raise ConfigError(f'{file.name} has no box such as "- [ ] text"{within}.', "Is it the right file?")
        return [
            Plan(
                format="checklist",
                source=file.name,
                name=file.path.stem,
                title=found.title or file.path.stem,
                text=file.text,
                items=tuple(entry.item for entry in entries),
                notes=(*found.notes, *empty_boxes(found.boxes)),
            )
        ]


READER = Checklist()


def checklist_entries(text: str) -> list[SourceTask]:
    """The entries. The id of a box is its text; the second box with the same text is "text (2)"."""
    found = marked(text)
    entries: list[SourceTask] = []
    seen: Counter[str] = Counter()
    for number, (box, below) in enumerate(with_children(found.parts), 1):
        if not box.text:
            continue
        seen[box.text] += 1
        again = f" ({seen[box.text]})" if seen[box.text] > 1 else ""
        heading = _heading_above(found.headings, box)
        item = Item(
            id=f"{box.text}{again}",
            name=f"ITEM-{number}",
            title=box.text,
            text="\n".join(each.text for each in (box, *below)),
            description="\n\n".join(each for each in (heading, box.text, steps(below)) if each),
            closed=closed_by([box, *below]),
            priority=number,
        )
        entries.append(SourceTask(item, tick([box, *below])))
    return entries


def empty_boxes(boxes: list[Box]) -> list[str]:
    return [f"the box at line {box.line} has no text: it is left out" for box in boxes if not box.text]


def _heading_above(headings: list[Heading], box: Box) -> str:
    return next((each.text for each in reversed(headings) if each.start < box.start), "")
