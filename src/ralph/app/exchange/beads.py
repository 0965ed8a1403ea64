"""beads: issues as `bd` prints them, in both envelopes, or in a file that `bd export` wrote."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ralph.app.exchange.formats import SourceTask, Written, is_file, marked_done
from ralph.app.exchange.json_places import read_json
from ralph.app.exchange.plan import Item, Origin, Plan
from ralph.app.exchange.programs import Programs
from ralph.app.exchange.source_file import read_source
from ralph.config.merge import is_object
from ralph.model.errors import ConfigError

FOLDER = ".beads"
CLOSED_BEFORE = "closed before the import"
EPIC = "epic"
BLOCKS = "blocks"
REASON = "Verified by ralph"
_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s+(?:\[[^\]]{0,3}\]\s*)?")


class _Dependency(Struct):
    depends_on_id: str = ""
    id: str = ""
    """The id of the other issue, if the list has a whole issue."""
    type: str = ""
    dependency_type: str = BLOCKS


class _Bead(Struct):
    id: str
    title: str
    description: str = ""
    design: str = ""
    notes: str = ""
    acceptance_criteria: str = ""
    status: str = "open"
    priority: int = 2
    issue_type: str = "task"
    dependencies: list[_Dependency] | None = None


class Beads:
    def found(self, project: Path) -> list[str]:
        return [FOLDER] if (project / FOLDER).is_dir() and not (project / FOLDER).is_symlink() else []

    def fits(self, project: Path, given: str) -> bool:
        if given.rstrip("/") == FOLDER:
            return (project / FOLDER).is_dir()
        if is_file(project, given, ".jsonl"):
            return True
        if not is_file(project, given, ".json"):
            return False
        try:
            file = read_source(project, given)
            return bool(_beads(file.text, file.name))
        except ConfigError:
            return False

    async def read(self, programs: Programs, given: str) -> list[Plan]:
        if given.rstrip("/") == FOLDER:
            beads, source = await _listed(programs), FOLDER
        else:
            file = read_source(programs.project, given)
            beads, source = _beads(file.text, file.name), file.name
        items = [_item(each, beads) for each in beads if each.issue_type != EPIC]
        if not items:
            raise ConfigError(f"{source} has no issues.", "Is it the right project?")
        epics = sum(each.issue_type == EPIC for each in beads)
        notes = ("epics are not run themselves, only what is below them",) if epics else ()
        name = Path(source).stem.strip(".")
        return [Plan(format="beads", source=source, name=name, title="beads", items=tuple(items), notes=notes)]

    async def mark_done(self, programs: Programs, source: str, part: str, done: Sequence[Origin]) -> list[Written]:
        """Mark the tasks only through bd: its issues are in a database, and a file is only a copy of it."""
        del source, part
        if not programs.has("bd"):
            return [
                Written(each.id, problem=f"bd is not on PATH. Close it yourself: bd close {each.id}") for each in done
            ]
        beads = await _listed(programs)
        entries = [SourceTask(_item(each, beads)) for each in beads]
        closed = {each.id for each in beads if each.status == "closed"}
        _, answers = marked_done("", entries, done)
        return [
            answer if answer.problem or answer.id in closed else await _closed(programs, answer.id)
            for answer in answers
        ]


READER = Beads()


async def _listed(programs: Programs) -> list[_Bead]:
    return _beads(await programs.ask("bd", "list", "--all", "--limit", "0", "--json"), "what bd list --json prints")


async def _closed(programs: Programs, bead: str) -> Written:
    """Close the issue, and read it back."""
    try:
        await programs.ask("bd", "close", bead, "--reason", REASON)
        shown = _beads(await programs.ask("bd", "show", bead, "--json"), "what bd show --json prints")
    except ConfigError as error:
        return Written(bead, problem=str(error))
    if [each.status for each in shown if each.id == bead] != ["closed"]:
        return Written(bead, problem="bd does not show it as closed")
    return Written(bead, is_new=True)


def _beads(text: str, name: str) -> list[_Bead]:
    """The issues: from the list itself, from `{schema_version, data}` around it, or from one issue on each line."""
    data = _lines(text, name) if name.endswith(".jsonl") else read_json(text, name)
    if is_object(data) and "data" in data:
        data = data["data"]
    try:
        return msgspec.convert([data] if is_object(data) else data, list[_Bead])
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name} holds no issues of beads: {error}.", "Is it the right file?") from None


def _lines(text: str, name: str) -> list[Any]:
    numbered = enumerate(text.splitlines(), 1)
    return [read_json(line, f"{name}, line {number}") for number, line in numbered if line.strip()]


def _item(bead: _Bead, beads: Sequence[_Bead]) -> Item:
    epics = {each.id for each in beads if each.issue_type == EPIC}
    blocking = [
        each.depends_on_id or each.id
        for each in bead.dependencies or ()
        if (each.type or each.dependency_type) == BLOCKS
    ]
    texts = [bead.description, bead.design, bead.notes]
    return Item(
        id=bead.id,
        title=bead.title,
        text=f"{bead.title}\n{bead.description}\n{bead.design}\n{bead.acceptance_criteria}",
        description="\n\n".join(each for each in texts if each),
        closed=CLOSED_BEFORE if bead.status == "closed" else "",
        depends_on=tuple(each for each in blocking if each not in epics),
        acceptance=tuple(
            text for line in bead.acceptance_criteria.splitlines() if (text := _BULLET.sub("", line.strip(), count=1))
        ),
        priority=bead.priority,
    )
