"""Project templates: rules and verification steps for a kind of project, as far as they fit this project."""

import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from ralph.app.setup.detect import FolderFiles
from ralph.config.yaml_text import parse_yaml
from ralph.plan.commands import Command, Kind, builds, judging_commands

FOLDER = Path(__file__).parent / "project_templates"
DEEPEST = 4
"""How many levels a template file may have."""


class WantedStep(Struct, frozen=True, forbid_unknown_fields=True):
    """A verification step that projects of this kind usually have."""

    name: str
    kind: Kind
    tools: tuple[str, ...] = ()
    """Words that identify a command of the project as this step, the best first; empty means any command of its
    kind."""
    required: bool = True


class Template(Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    marks: tuple[str, ...]
    """Files of which a project of this kind has at least one."""
    rules: tuple[str, ...]
    steps: tuple[WantedStep, ...]


class Fitted(NamedTuple):
    """What a template gives to one project."""

    settings: dict[str, Any]
    """`rules` and `verification`, in the form of a settings file."""
    told: list[str]
    """What was left out, and why."""


def read_template(name: str) -> Template:
    return msgspec.convert(parse_yaml((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), DEEPEST), Template)


def fitted(name: str, project: Path, path: str | None = None) -> Fitted:
    """The rules, and the steps that the project can run: it has the command, and its program is installed."""
    template, files = read_template(name), FolderFiles(project)
    known = [*judging_commands(files), *(Command("build", line) for line in builds(files))]
    steps: list[dict[str, Any]] = []
    told: list[str] = []
    if template.marks and not files.has(*template.marks):
        told.append(f"nothing here says that this is a {template.title} project (no {_listed(template.marks)})")
    for wanted in template.steps:
        found = list(_commands(wanted, known))
        here = [line for line in found if _is_here(line, project, path)]
        steps += [_step(wanted, line, alone=len(here) == 1) for line in here]
        if not here:
            told.append(f"no step {wanted.name}: {_why(wanted, found)}")
    settings: dict[str, Any] = {"rules": list(template.rules)}
    return Fitted(settings | ({"verification": {"steps": steps}} if steps else {}), told)


def _commands(wanted: WantedStep, known: Sequence[Command]) -> Iterator[str]:
    """The project's commands for this step: the first that one of its tools names; without tools all of the kind."""
    lines = list(dict.fromkeys(each.line for each in known if each.kind == wanted.kind))
    if not wanted.tools:
        yield from lines
        return
    for tool in wanted.tools:
        for line in lines:
            if tool in line.split():
                yield line
                return


def _is_here(line: str, project: Path, path: str | None) -> bool:
    program = shlex.split(line)[0]
    return shutil.which(program, path=path) is not None or ("/" in program and (project / program).is_file())


def _why(wanted: WantedStep, found: Sequence[str]) -> str:
    if found:
        return f"{shlex.split(found[0])[0]} is not on PATH"
    named = f" that uses {_listed(wanted.tools)}" if wanted.tools else ""
    return f"the project has no {wanted.kind} command{named}"


def _step(wanted: WantedStep, line: str, *, alone: bool) -> dict[str, Any]:
    step: dict[str, Any] = {"name": wanted.name if alone else f"{wanted.name}: {line}", "command": line}
    return step if wanted.required else step | {"required": False}


def _listed(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last
