"""BMAD: `stories.yaml`, in order. The status of a story is in `stories/<id>-*.md`, once that is written."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from ralph.app.exchange.formats import Edit, FileFormat, SourceTask, Written, folder_in, is_file, marked_done
from ralph.app.exchange.ordering import one_after_another
from ralph.app.exchange.plan import DONE_BEFORE, Item, Origin, Plan
from ralph.app.exchange.programs import Programs
from ralph.app.exchange.source_file import SourceFile, change_source, read_source
from ralph.app.tasks.text import parsed
from ralph.model.errors import ConfigError

FILE, SPEC, STORIES = "stories.yaml", "SPEC.md", "stories"
PLACES = ("_bmad-output/**/stories.yaml", "docs/**/stories.yaml", "stories.yaml")
NO_STATUS = "BMAD has no status for it: there is no stories/{}-*.md"
_FRONT = re.compile(r"---[ \t]*\r?\n(.*?\r?\n)---[ \t]*(?:\r?\n|$)", re.DOTALL)
_STATUS = re.compile(r"""(?m)^status:[ \t]*(['"]?)([\w-]*)\1""")


class _Story(Struct):
    id: str
    title: str
    description: str = ""
    invoke_dev_with: str = ""


class Bmad(FileFormat):
    def found(self, project: Path) -> Iterator[str]:
        for pattern in PLACES:
            for path in sorted(project.glob(pattern)):
                if path.is_file() and not path.is_symlink():
                    yield path.relative_to(project).as_posix()

    def fits(self, project: Path, given: str) -> bool:
        if (project / given).is_dir():
            return (project / given / FILE).is_file()
        return is_file(project, given, FILE)

    def file_of(self, project: Path, given: str) -> str:
        return f"{given.rstrip('/')}/{FILE}" if folder_in(project, given) else given

    def entries(self, text: str, name: str, part: str) -> list[SourceTask]:
        del part
        stories = _stories(text, name)
        order = one_after_another([[each.id] for each in stories])
        return [SourceTask(_item(each, number, order[each.id])) for number, each in enumerate(stories)]

    def plans(self, project: Path, file: SourceFile) -> list[Plan]:
        entries = self.entries(file.text, file.name, "")
        if not entries:
            raise ConfigError(f"{file.name} has no stories.", "Is it the right file?")
        folder = file.path.parent
        spec = folder / SPEC
        text = read_source(project, str(spec)).text if spec.is_file() else ""
        heading = re.search(r"(?m)^#[ \t]+(.+?)[ \t]*$", text)
        files = (spec.relative_to(project.resolve()).as_posix(),) if spec.is_file() else ()
        items = [_with_status(project, folder, entry.item, files) for entry in entries]
        name = folder.name if folder != project.resolve() else "stories"
        return [
            Plan(
                format="bmad",
                source=file.name,
                name=name,
                title=heading[1] if heading else name,
                text=text,
                items=tuple(items),
            )
        ]

    async def mark_done(self, programs: Programs, source: str, part: str, done: Sequence[Origin]) -> list[Written]:
        """Mark the tasks only in the file of each story: stories.yaml never has a status."""
        file = read_source(programs.project, source)
        _, answers = marked_done(file.text, self.entries(file.text, file.name, part), done)
        return [
            answer if answer.problem else _mark(programs.project, file.path.parent, origin.id)
            for origin, answer in zip(done, answers, strict=True)
        ]


READER = Bmad()


def _stories(text: str, name: str) -> list[_Story]:
    documents = parsed(text, name)
    if len(documents) != 1:
        raise ConfigError(f"{name} is not a list of stories.", "Is it the right file?")
    try:
        return msgspec.convert(documents[0], list[_Story])
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name} is not a list of stories: {error}.", "Fix it there.") from None


def _item(story: _Story, number: int, before: tuple[str, ...]) -> Item:
    return Item(
        id=story.id,
        name=f"STORY-{story.id}",
        title=story.title,
        text=f"{story.title}\n{story.description}\n{story.invoke_dev_with}",
        description="\n\n".join(each for each in (story.description, story.invoke_dev_with) if each),
        depends_on=before,
        priority=number,
    )


def _with_status(project: Path, folder: Path, item: Item, files: tuple[str, ...]) -> Item:
    path = _story_file(folder, item.id)
    relative = (path.relative_to(project.resolve()).as_posix(),) if path else ()
    found = _status(read_source(project, str(path)).text) if path else None
    is_done = found is not None and found[0] == "done"
    return msgspec.structs.replace(item, closed=DONE_BEFORE if is_done else "", relevant_files=(*files, *relative))


def _story_file(folder: Path, story: str) -> Path | None:
    """The file of the story; None if it is not written yet, or if several files match."""
    if not re.fullmatch(r"[A-Za-z0-9-]+", story):
        return None
    found = list((folder / STORIES).glob(f"{story}-*.md"))
    return found[0] if len(found) == 1 else None


def _status(text: str) -> tuple[str, Edit] | None:
    """The status in the front matter, and the edit that makes it "done"."""
    front = _FRONT.match(text)
    found = _STATUS.search(text, front.start(1), front.end(1)) if front else None
    return (found[2], Edit(found.start(2), found.end(2), "done")) if found else None


def _mark(project: Path, folder: Path, story: str) -> Written:
    path = _story_file(folder, story)
    if path is None:
        return Written(story, note=NO_STATUS.format(story))
    changed: list[Written] = []

    def change(file: SourceFile) -> str:
        found = _status(file.text)
        if found is None:
            changed[:] = [Written(story, problem=f"{file.name} has no status")]
            return file.text
        status, edit = found
        changed[:] = [Written(story, is_new=status != "done")]
        return file.text[: edit.start] + edit.text + file.text[edit.end :]

    change_source(project, str(path), change)
    return changed[0]
