"""Importing a foreign plan as a spec: found in the project or named, and written completely or not at all."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ralph.app.exchange.bundle import Bundle, Kept, keep
from ralph.app.exchange.formats import reader, readers
from ralph.app.exchange.json_places import read_json
from ralph.app.exchange.own_form import LARGEST, is_own, read_own
from ralph.app.exchange.plan import KEY, Item, Origin, Plan, origin_of
from ralph.app.exchange.programs import Programs
from ralph.app.exchange.source_file import read_source
from ralph.app.tasks.files import TaskRules, read_task
from ralph.app.tasks.tasks import rules
from ralph.app.tasks.text import STDIN, parsed, read_text, source_name
from ralph.kernel.completion import leaves
from ralph.kernel.task_rules import LONGEST_ID, check_id, shown
from ralph.model.errors import ConfigError
from ralph.model.tasks import Task
from ralph.model.words import visible
from ralph.store.sql import Store

OWN = "ralph"
OWN_ENDINGS = (".yaml", ".yml", ".json")
LONGEST_TITLE = 200
MOST_TASKS = 1000
HIGHEST_PRIORITY = 1_000_000


class Request(Struct, frozen=True):
    """What a person wants to import."""

    given: str | None = None
    """A path, an issue, a URL or `-`. None means the plans that are found in the project."""
    format: str | None = None
    spec: str | None = None
    """The id of the spec. None means an id made from the name of the plan."""
    part: str | None = None
    """The part of a source that has several plans."""
    everything: bool = False
    """Whether to import all plans that are found, each as its own spec."""
    replace: bool = False


class ImportedSpec(Struct, frozen=True, kw_only=True, rename="camel"):
    spec: str
    title: str
    format: str
    source: str
    tasks: tuple[str, ...]
    closed: dict[str, str] = {}
    """The tasks that are not run, and why."""
    renamed: dict[str, str] = {}
    reopened: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    without_criteria: tuple[str, ...] = ()
    """Open tasks for which only verification steps and reviews decide when they are done."""
    overrides: tuple[str, ...] = ()
    """What the spec sets for its tasks."""
    notes: tuple[str, ...] = ()


class Outcome(Struct, frozen=True):
    specs: list[ImportedSpec]
    problems: list[str]
    """Why plans were not imported, if all were asked for: each is written completely or not at all."""


async def import_spec(store: Store, project: Path, request: Request) -> Outcome:
    if request.given is not None and _is_own(project, request):
        text = _own_text(project, request.given)
        name = source_name(request.given)
        bundle = read_own(project, text, name, request.spec)
        kept = keep(store, project, bundle, replace_spec=request.replace)
        return Outcome([_told(bundle, kept, OWN, name, ())], [])
    plans = await _plans(Programs(project), request)
    if len(plans) == 1:
        return Outcome([_imported(store, project, plans[0], request)], [])
    if request.spec is not None:
        raise ConfigError(
            f"--spec names one spec, but there are {len(plans)} plans to import.", "Import them one by one."
        )
    return _all_imported(store, project, plans, request)


def _all_imported(store: Store, project: Path, plans: Sequence[Plan], request: Request) -> Outcome:
    outcome = Outcome([], [])
    for plan in plans:
        try:
            outcome.specs.append(_imported(store, project, plan, request))
        except ConfigError as error:
            outcome.problems.append(f"{plan.source} is not imported: {error}")
    return outcome


def _own_text(project: Path, given: str) -> str:
    return read_text(given if given == STDIN else str(project / given), "a file with a spec", LARGEST)


def _is_own(project: Path, request: Request) -> bool:
    given = request.given or ""
    if request.format is not None:
        return request.format == OWN
    if given == STDIN:
        return True
    if not given.lower().endswith(OWN_ENDINGS) or not (project / given).is_file():
        return False
    try:
        documents = parsed(_own_text(project, given), given)
    except ConfigError:
        # It is not ralph's own form, or damaged: the reader of its format has a better message.
        return False
    return len(documents) == 1 and is_own(documents[0])


async def _plans(programs: Programs, request: Request) -> list[Plan]:
    if request.given is None:
        found = _found(programs.project, request.format)
        if not request.everything and len(found) > 1:
            listed = ", ".join(f"{given} ({name})" for name, given in found)
            raise ConfigError(
                f"there are {len(found)} plans here: {listed}.", "Name one: ralph spec import PATH; or give --all."
            )
        plans = [plan for name, given in found for plan in await reader(name).read(programs, given)]
    else:
        name = request.format or _format_of(programs.project, request.given)
        plans = await reader(name).read(programs, request.given)
    return _chosen(plans, request)


def _found(project: Path, wanted: str | None) -> list[tuple[str, str]]:
    names = [(wanted, reader(wanted))] if wanted else list(readers())
    found = [(name, given) for name, each in names for given in each.found(project)]
    if not found:
        what = f"no plan of {wanted}" if wanted else "no plan that ralph knows"
        raise ConfigError(f"there is {what} in this project.", "Name a file: ralph spec import PATH")
    return found


def _format_of(project: Path, given: str) -> str:
    for name, each in readers():
        if each.fits(project, given):
            return name
    if not (project / given).is_dir():
        # A problem of the file itself is a better message than "no format fits".
        file = read_source(project, given)
        if file.name.endswith(".json"):
            read_json(file.text, file.name)
    raise ConfigError(
        f"ralph cannot detect the format of {given}.", "Name it: --from FORMAT; see ralph spec import --help"
    )


def _chosen(plans: Sequence[Plan], request: Request) -> list[Plan]:
    """The plans of the requested part."""
    parts = [plan.part for plan in plans if plan.part]
    if request.part is not None:
        chosen = [plan for plan in plans if plan.part == request.part]
        if not chosen:
            there = f"the source has {', '.join(parts)}" if parts else "the source has no tags"
            hint = "Name one of them with --tag." if parts else "Leave out --tag."
            raise ConfigError(f"there is no tag {shown(request.part)}: {there}.", hint)
        return chosen
    if len(plans) > 1 and not request.everything:
        listed = ", ".join(each.part or each.source for each in plans)
        raise ConfigError(f"{plans[0].source} holds {len(plans)} plans: {listed}.", "Choose: --tag TAG, or --all.")
    return list(plans)


def _imported(store: Store, project: Path, plan: Plan, request: Request) -> ImportedSpec:
    if len(plan.items) > MOST_TASKS:
        raise ConfigError(
            f"{plan.source} has {len(plan.items)} tasks; the limit is {MOST_TASKS}.", "Is it the right file?"
        )
    spec_id = request.spec or plain_id(plan.name, "imported", is_spec=True)
    check_id("spec", spec_id)
    names = _names(plan)
    notes: list[str] = []
    fit = rules(project, spec=spec_id, without_criteria=True)
    tasks = [_task(plan, item, names, notes, fit) for item in plan.items]
    title = _one_line(plan.title) or spec_id
    bundle = Bundle(spec=spec_id, title=title, text=plan.text or None, config=None, tasks=tasks)
    kept = keep(store, project, bundle, replace_spec=request.replace)
    return _told(bundle, kept, plan.format, plan.source, (*plan.notes, *notes))


def _names(plan: Plan) -> dict[str, str]:
    """The id of each task in ralph, by its own id."""
    names: dict[str, str] = {}
    for item in plan.items:
        if item.id in names:
            raise ConfigError(
                f"{plan.source} has {shown(item.id)} twice.", "Give each task an id of its own there, and import again."
            )
        names[item.id] = _free_id(plain_id(item.name or item.id, "TASK"), set(names.values()))
    return names


def _task(plan: Plan, item: Item, names: dict[str, str], notes: list[str], fit: TaskRules) -> Task:
    name = names[item.id]
    missing = [each for each in item.depends_on if each not in names]
    notes += [f"{name} depends on {shown(each)}, which is not in the plan: left out" for each in missing]
    title, description = _one_line(item.title) or name, item.description
    origin = Origin(
        format=plan.format,
        source=plan.source,
        id=item.id,
        part=plan.part,
        fingerprint=item.fingerprint,
        note=item.closed,
    )
    data: dict[str, Any] = {
        "id": name,
        "title": title,
        "description": description,
        "priority": max(-HIGHEST_PRIORITY, min(item.priority, HIGHEST_PRIORITY)),
        "dependencies": [names[each] for each in item.depends_on if each in names and each != item.id],
        "metadata": {KEY: origin.data},
        "relevant_files": [each for each in item.relevant_files if not leaves(each)],
    }
    if acceptance := [text for each in item.acceptance if (text := _one_line(each, longest=None))]:
        data["completion"] = {"outcome": title, "acceptance_criteria": acceptance}
    task = read_task(data, f"{plan.source}, task {shown(item.id)[1:-1]}", fit)
    return replace(task, status="skipped") if item.closed else task


def _told(bundle: Bundle, kept: Kept, form: str, source: str, notes: Sequence[str]) -> ImportedSpec:
    closed = {task.id: origin.note for task in kept.tasks if (origin := origin_of(task)) and origin.note}
    bare = tuple(task.id for task in kept.tasks if task.completion_spec is None and task.id not in closed)
    return ImportedSpec(
        spec=bundle.spec,
        title=bundle.title,
        format=form,
        source=source,
        tasks=tuple(task.id for task in kept.tasks),
        closed=closed,
        renamed=kept.renamed,
        reopened=kept.reopened,
        gone=kept.gone,
        without_criteria=bare,
        overrides=tuple(bundle.config or ()),
        notes=(*notes, *kept.notes),
    )


def plain_id(text: str, otherwise: str, *, is_spec: bool = False) -> str:
    """An id made from a name: invalid characters become a hyphen."""
    made = re.sub(r"[^A-Za-z0-9._-]+", "-", text)
    made = re.sub(r"\.{2,}", ".", made)
    made = re.sub(r"-{2,}", "-", made) if is_spec else made
    made = made[:LONGEST_ID].strip("-._")
    return made.removesuffix(".lock") or otherwise


def _free_id(wanted: str, taken: set[str]) -> str:
    """The wanted id, or the id with the first number from 2 on that no task of the plan has."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _one_line(text: str, longest: int | None = LONGEST_TITLE) -> str:
    line = " ".join(visible(text).split())
    return line if longest is None or len(line) <= longest else f"{line[: longest - 3]}..."
