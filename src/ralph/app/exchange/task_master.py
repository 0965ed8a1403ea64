"""task-master: `tasks.json`, one plan for each tag, or the older form without tags."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ralph.app.exchange.formats import Edit, FileFormat, SourceTask, folder_in, is_file
from ralph.app.exchange.json_places import member_edit, places_in, read_json
from ralph.app.exchange.plan import DONE_BEFORE, Item, Plan
from ralph.app.exchange.source_file import SourceFile, read_source
from ralph.app.json_edit import items
from ralph.config.merge import is_object
from ralph.model.errors import ConfigError

FOLDER, FILE = ".taskmaster", "tasks.json"
PLACES = (f"{FOLDER}/tasks/{FILE}", f"tasks/{FILE}")
TASKS = "tasks"
DONE = ("done", "completed")
DROPPED = {"cancelled": "cancelled before the import", "deferred": "deferred before the import"}
RANKS = {"critical": 0, "high": 1000, "medium": 2000, "low": 3000}


class _Subtask(Struct):
    id: int | str
    title: str = ""
    description: str = ""
    details: str | None = ""
    status: str = "pending"


class _Task(Struct, rename="camel"):
    id: int | str
    title: str
    description: str | None = ""
    details: str | None = ""
    test_strategy: str | None = ""
    status: str = "pending"
    priority: str | None = "medium"
    dependencies: list[int | str] = []
    subtasks: list[_Subtask] | None = None


class _Tagged(NamedTuple):
    tag: str
    """The tag; empty in the older form."""
    path: tuple[str, ...]
    """The path of its list of tasks."""
    tasks: list[Any]


class TaskMaster(FileFormat):
    def found(self, project: Path) -> list[str]:
        return [each for each in PLACES if (project / each).is_file() and self.fits(project, each)]

    def fits(self, project: Path, given: str) -> bool:
        if (project / given).is_dir():
            return (project / given / TASKS / FILE).is_file()
        if not is_file(project, given, ".json"):
            return False
        try:
            file = read_source(project, given)
            return bool(list(_tagged(read_json(file.text, file.name))))
        except ConfigError:
            # A damaged file is still that file: its reader says what is wrong.
            return Path(given).name == FILE

    def file_of(self, project: Path, given: str) -> str:
        return f"{given.rstrip('/')}/{TASKS}/{FILE}" if folder_in(project, given) else given

    def entries(self, text: str, name: str, part: str) -> list[SourceTask]:
        for each in _tagged(read_json(text, name)):
            if each.tag == part:
                places = places_in(text, *each.path)
                return [_entry(text, name, each, number, place) for number, place in enumerate(places)]
        raise ConfigError(f"{name} has no tag {part!r} any more.", "Was it renamed? Import it again.")

    def plans(self, project: Path, file: SourceFile) -> list[Plan]:
        del project
        found = list(_tagged(read_json(file.text, file.name)))
        if not any(each.tasks for each in found):
            raise ConfigError(f"{file.name} has no tasks.", "Is it the right file?")
        return [_plan(file, each, self.entries(file.text, file.name, each.tag)) for each in found if each.tasks]


READER = TaskMaster()


def _tagged(data: Any) -> Iterator[_Tagged]:
    if not is_object(data):
        return
    if isinstance(data.get(TASKS), list):
        yield _Tagged("", (TASKS,), data[TASKS])
        return
    for tag, value in data.items():
        if is_object(value) and isinstance(value.get(TASKS), list):
            yield _Tagged(tag, (tag, TASKS), value[TASKS])


def _plan(file: SourceFile, tagged: _Tagged, entries: list[SourceTask]) -> Plan:
    title = f"task-master, tag {tagged.tag}" if tagged.tag else "task-master"
    return Plan(
        format="task-master",
        source=file.name,
        part=tagged.tag,
        name=tagged.tag or "task-master",
        title=title,
        items=tuple(entry.item for entry in entries),
    )


def _entry(text: str, name: str, tagged: _Tagged, number: int, place: int) -> SourceTask:
    try:
        task = msgspec.convert(tagged.tasks[number], _Task)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name}, task {number + 1}: {error}.", "Fix it there.") from None
    below = task.subtasks or []
    closed = DONE_BEFORE if task.status in DONE else DROPPED.get(task.status, "")
    described = [_steps(below), f"How it is tested: {task.test_strategy}" if task.test_strategy else ""]
    texts = [task.title, task.description, task.details, task.test_strategy, *(each.title for each in below)]
    item = Item(
        id=str(task.id),
        title=task.title,
        text="\n".join(each or "" for each in texts),
        description="\n\n".join(each for each in (task.description, task.details, *described) if each),
        closed=closed,
        # A subtask, such as 2.1, is a part of its task.
        depends_on=tuple(dict.fromkeys(str(each).partition(".")[0] for each in task.dependencies)),
        priority=RANKS.get(task.priority or "", RANKS["medium"]) + number,
    )
    return SourceTask(item, () if task.status in DONE else tuple(_edits(text, place, below)))


def _edits(text: str, place: int, below: list[_Subtask]) -> Iterator[Edit]:
    """The edits. The task and its subtasks are done together, as in task-master itself."""
    yield member_edit(text, place, "status", '"done"')
    if below:
        inner = next(each.value for each in items(text, place) if each.key == "subtasks")
        for each, start in zip(below, (found.value for found in items(text, inner)), strict=True):
            if each.status not in DONE:
                yield member_edit(text, start, "status", '"done"')


def _steps(below: list[_Subtask]) -> str:
    if not below:
        return ""
    lines: list[str] = []
    for each in below:
        more = " ".join(part for part in (each.description, each.details) if part)
        done = " (done before)" if each.status in DONE else ""
        lines.append(f"- {each.title}{done}" + (f": {more}" if more else ""))
    return "Steps:\n" + "\n".join(lines)
