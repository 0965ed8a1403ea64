"""snarktank's `prd.json`: user stories, in which `passes` says whether they are done."""

from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ralph.app.exchange.formats import FileFormat, SourceTask, is_file
from ralph.app.exchange.json_places import member_edit, places_in, read_json
from ralph.app.exchange.ordering import one_after_another
from ralph.app.exchange.plan import DONE_BEFORE, Item, Plan
from ralph.app.exchange.source_file import SourceFile, read_source
from ralph.config.merge import is_object
from ralph.model.errors import ConfigError

PLACES = ("prd.json", "scripts/ralph/prd.json", "tasks/prd.json")
STORIES = "userStories"


class _Story(Struct, rename="camel"):
    id: str
    title: str
    description: str = ""
    acceptance_criteria: list[str] = []
    priority: float = 0
    passes: bool = False
    notes: str = ""
    depends_on: list[str] = []


class PrdJson(FileFormat):
    def found(self, project: Path) -> list[str]:
        return [each for each in PLACES if (project / each).is_file() and self.fits(project, each)]

    def fits(self, project: Path, given: str) -> bool:
        if not is_file(project, given, ".json"):
            return False
        try:
            file = read_source(project, given)
            return _is_prd(read_json(file.text, file.name))
        except ConfigError:
            # A damaged file is still that file: its reader says what is wrong.
            return Path(given).name == PLACES[0]

    def entries(self, text: str, name: str, part: str) -> list[SourceTask]:
        del part
        data = read_json(text, name)
        if not _is_prd(data):
            raise ConfigError(f"{name} has no list {STORIES}.", "Is it the right file?")
        stories = [_story(each, number, name) for number, each in enumerate(data[STORIES], 1)]
        ranked = sorted(range(len(stories)), key=lambda number: stories[number].priority)
        same = groupby(ranked, key=lambda number: stories[number].priority)
        order = one_after_another([[stories[number].id for number in group] for _, group in same])
        ranks = {number: rank for rank, number in enumerate(ranked)}
        places = places_in(text, STORIES)
        return [
            _entry(text, story, places[number], ranks[number], order[story.id]) for number, story in enumerate(stories)
        ]

    def plans(self, project: Path, file: SourceFile) -> list[Plan]:
        del project
        entries = self.entries(file.text, file.name, "")
        if not entries:
            raise ConfigError(f"{file.name} has no stories.", "Is it the right file?")
        data = read_json(file.text, file.name)
        title = str(data.get("project") or data.get("title") or file.path.parent.name)
        branch = str(data.get("branchName") or "").rpartition("/")[2]
        return [
            Plan(
                format="prd-json",
                source=file.name,
                name=branch or title,
                title=title,
                text=f"# {title}\n\n{data.get('description') or ''}".strip() + "\n",
                items=tuple(entry.item for entry in entries),
            )
        ]


READER = PrdJson()


def _is_prd(data: Any) -> bool:
    return is_object(data) and isinstance(data.get(STORIES), list)


def _story(data: Any, number: int, name: str) -> _Story:
    try:
        return msgspec.convert(data, _Story)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name}, story {number}: {error}.", "Fix it there.") from None


def _entry(text: str, story: _Story, place: int, rank: int, before: tuple[str, ...]) -> SourceTask:
    item = Item(
        id=story.id,
        title=story.title,
        text="\n".join((story.title, story.description, *story.acceptance_criteria)),
        description="\n\n".join(each for each in (story.description, story.notes) if each),
        closed=DONE_BEFORE if story.passes else "",
        depends_on=tuple(dict.fromkeys((*before, *story.depends_on))),
        acceptance=tuple(story.acceptance_criteria),
        priority=rank,
    )
    if story.passes:
        return SourceTask(item)
    return SourceTask(item, (member_edit(text, place, "passes", "true"),))
