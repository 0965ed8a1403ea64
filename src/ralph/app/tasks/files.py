"""Tasks in the form of their files: read, checked against the roles of the settings, and written."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any, cast

from msgspec import Meta, Struct

from ralph.app.tasks.shapes import as_shape, in_snake_case, refuse_odd_values
from ralph.config.keys import nearest
from ralph.config.merge import is_object
from ralph.kernel.completion import (
    MOST_ITERATIONS,
    GivenCriteria,
    RoleDefaults,
    check_criteria,
    completion_dict,
    filled,
    leaves,
    read_criterion,
)
from ralph.kernel.task_rules import check_id, shown
from ralph.model.errors import ConfigError
from ralph.model.tasks import CompletionCriteria, Criterion, Task, TaskCompletionSpec, TaskStatus
from ralph.store.bus_format import iso

HIGHEST_PRIORITY = 1_000_000
OTHER_NAMES = {"completion_spec": "completion", "spec": "spec_id", "depends_on": "dependencies"}
EXAMPLE = (
    'A good one: outcome "Every endpoint requires a valid token", '
    'acceptance criteria "An expired token gets status 401", "POST /login returns a token".'
)


class TaskRules(Struct, frozen=True):
    """The rules for a task that is read."""

    roles: dict[str, RoleDefaults]
    now: float
    spec: str | None = None
    """The spec of tasks that name none."""
    without_criteria: bool = False
    """Whether a task may have no criteria."""


PROGRESS = frozenset(("status", "iteration", "created_at", "updated_at"))
"""What an exported task says beside its definition."""


class _TaskShape(Struct):
    id: str
    title: str
    spec_id: str | None = None
    description: str = ""
    priority: Annotated[int, Meta(ge=-HIGHEST_PRIORITY, le=HIGHEST_PRIORITY)] = 0
    dependencies: tuple[str, ...] = ()
    assignee: str = ""
    metadata: dict[str, Any] = {}
    completion: dict[str, Any] | None = None
    may_change: tuple[str, ...] = ()
    relevant_files: tuple[str, ...] = ()
    max_iterations: Annotated[int, Meta(ge=1, le=MOST_ITERATIONS)] | None = None
    status: TaskStatus = "pending"
    iteration: Annotated[int, Meta(ge=0)] = 0
    created_at: str | None = None
    updated_at: str | None = None


class _CompletionShape(Struct):
    outcome: str = ""
    acceptance_criteria: tuple[Any, ...] = ()


def tasks_in(documents: Iterable[Any], name: str, rules: TaskRules) -> list[Task]:
    found = [data for document in documents for data in _mappings(document, name)]
    if not found:
        raise ConfigError(f"{name} contains no task.", "See an example: ralph task export ID")
    return [read_task(data, f"{name}, task {_named(data, number)}", rules) for number, data in enumerate(found, 1)]


def read_task(data: dict[str, Any], where: str, rules: TaskRules) -> Task:
    """The task. `where` names it in an error."""
    refuse_odd_values(data, where)
    shape = as_shape(_with_usual_names(data, where), _TaskShape, where)
    check_id("task", shape.id)
    _require_line(shape.title, "title", where)
    spec_id = shape.spec_id or rules.spec
    if not spec_id:
        raise ConfigError(f"{where}: it names no spec.", "Add spec_id to it, or give --spec SPEC.")
    check_id("spec", spec_id)
    return Task(
        id=shape.id,
        spec_id=spec_id,
        title=shape.title,
        description=shape.description,
        priority=shape.priority,
        dependencies=tuple(dict.fromkeys(shape.dependencies)),
        assignee=shape.assignee,
        # Nobody works on a task that was only read from a file.
        status="pending" if shape.status == "running" else shape.status,
        iteration=shape.iteration,
        created_at=_moment(shape.created_at, "created_at", where, rules.now),
        updated_at=_moment(shape.updated_at, "updated_at", where, rules.now),
        metadata=shape.metadata,
        completion_spec=_completion(shape, where, rules),
        may_change=_lines(shape.may_change, "pattern in may_change", where),
        relevant_files=_files(shape.relevant_files, where),
        max_iterations=shape.max_iterations,
    )


def task_data(task: Task) -> dict[str, Any]:
    """The task in the form of a file: what a person would write, without ralph's own fields."""
    data: dict[str, Any] = {"id": task.id, "spec_id": task.spec_id, "title": task.title}
    data |= {"description": task.description} if task.description else {}
    data |= {"priority": task.priority, "dependencies": list(task.dependencies)}
    data |= {"assignee": task.assignee} if task.assignee else {}
    data |= {"metadata": task.metadata} if task.metadata else {}
    data |= {"relevant_files": list(task.relevant_files)} if task.relevant_files else {}
    data |= {"max_iterations": task.max_iterations} if task.max_iterations else {}
    data |= {"may_change": list(task.may_change)} if task.may_change else {}
    if task.completion_spec:
        completion = completion_dict(task.completion_spec)
        for role in task.completion_spec.roles:
            completion[role] = {key: value for key, value in completion[role].items() if value not in (None, {})}
        data["completion"] = completion
    return data


def exported_data(task: Task) -> dict[str, Any]:
    """The same data with the task's progress and times, so that another project can take it over."""
    data = task_data(task)
    data |= {"status": task.status} if task.status != "pending" else {}
    data |= {"iteration": task.iteration} if task.iteration else {}
    return data | {"created_at": iso(task.created_at), "updated_at": iso(task.updated_at)}


def file_data(tasks: list[Task], form: Callable[[Task], dict[str, Any]] = task_data) -> dict[str, Any]:
    return {"task": form(tasks[0])} if len(tasks) == 1 else {"tasks": [form(task) for task in tasks]}


def _moment(text: str | None, name: str, where: str, otherwise: float) -> float:
    if text is None:
        return otherwise
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise ConfigError(
            f"{where}: {name} {shown(text)} is not a time.", "Write it like 2026-02-05T10:00:00Z."
        ) from None


def _mappings(document: Any, name: str) -> Iterator[dict[str, Any]]:
    if isinstance(document, list):
        for item in cast("list[Any]", document):
            yield from _mappings(item, name)
    elif not is_object(document):
        raise ConfigError(f"{name} holds {shown(str(document))} where a task should be.", "A task is a mapping.")
    elif "task" in document or "tasks" in document:
        for key, value in document.items():
            if key not in ("task", "tasks"):
                raise ConfigError(
                    f"{name} has {shown(str(key))} beside its tasks.", "Only task or tasks is allowed there."
                )
            if value is not None:
                yield from _mappings(value, name)
    else:
        yield document


def _named(data: dict[str, Any], number: int) -> str:
    name = data.get("id")
    return shown(name)[1:-1] if isinstance(name, str) and name.strip() else f"number {number}"


def _with_usual_names(data: dict[str, Any], where: str) -> dict[str, Any]:
    usual: dict[str, Any] = {}
    for key, value in in_snake_case(data, (*_TaskShape.__struct_fields__, *OTHER_NAMES), where).items():
        name = OTHER_NAMES.get(key, key)
        if name in usual:
            raise ConfigError(f"{where}: {name} occurs twice, also as {key}.", "Keep one of them.")
        usual[name] = value
    return usual


def _completion(shape: _TaskShape, where: str, rules: TaskRules) -> TaskCompletionSpec | None:
    if shape.completion is None and rules.without_criteria:
        return None
    written = in_snake_case(shape.completion or {}, _CompletionShape.__struct_fields__, where)
    given = {key: value for key, value in written.items() if value is not None}
    overall = {key: given.pop(key) for key in _CompletionShape.__struct_fields__ if key in given}
    for name in given:
        _require_role(name, where, rules)
    done = as_shape(overall, _CompletionShape, where, "completion")
    if not done.outcome.strip():
        raise ConfigError(f"{where}: the outcome is missing.", EXAMPLE)
    if not done.acceptance_criteria:
        raise ConfigError(f"{where}: acceptance criteria are missing.", EXAMPLE)
    acceptance = tuple(_criterion(each, number, where) for number, each in enumerate(done.acceptance_criteria, 1))
    asked = tuple(each.asked for each in acceptance)
    roles = {
        name: _criteria(name, value, shape.title, asked, where, rules.roles[name]) for name, value in given.items()
    }
    return TaskCompletionSpec(done.outcome, acceptance, roles)


def _criterion(data: Any, number: int, where: str) -> Criterion:
    try:
        return read_criterion(data)
    except ValueError as error:
        raise ConfigError(f"{where}: acceptance criterion {number} {error}.", EXAMPLE) from None


def _require_role(name: str, where: str, rules: TaskRules) -> None:
    if name in rules.roles:
        return
    meant = nearest(name, [*_CompletionShape.__struct_fields__, *rules.roles])
    raise ConfigError(
        f'{where}: completion has {shown(name)}, which is not a role; the nearest key is "{meant}".',
        f'Roles are {", ".join(rules.roles)}; settings add others under "roles".',
    )


def _criteria(
    role: str, data: Any, title: str, acceptance: tuple[str, ...], where: str, defaults: RoleDefaults
) -> CompletionCriteria:
    given = as_shape(data, GivenCriteria, where, f"completion.{role}")
    try:
        criteria = filled(role, defaults, title, given)
        check_criteria(criteria, acceptance)
    except ValueError as error:
        raise ConfigError(f"{where}, role {role}: {error}.") from None
    return criteria


def _lines(given: tuple[str, ...], what: str, where: str) -> tuple[str, ...]:
    for text in given:
        _require_line(text, what, where)
    return tuple(dict.fromkeys(given))


def _files(given: tuple[str, ...], where: str) -> tuple[str, ...]:
    for path in _lines(given, "path in relevant_files", where):
        if leaves(path):
            raise ConfigError(
                f"{where}: the relevant file {shown(path)} is outside of the project.",
                "Name it relative to the project.",
            )
    return tuple(dict.fromkeys(given))


def _require_line(text: str, what: str, where: str) -> None:
    if not text.strip():
        raise ConfigError(f"{where}: the {what} is empty.")
    if len(text.splitlines()) > 1 or text[-1] in "\r\n":
        raise ConfigError(f"{where}: the {what} must be one line.", "Put the rest into the description.")
