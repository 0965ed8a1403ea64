"""Tasks in the shape of their files: read, checked against the roles of the settings, and written."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, cast

from msgspec import Meta, Struct

from ralph.app.task_shapes import as_shape, refuse_odd_values
from ralph.config.keys import nearest
from ralph.config.merge import is_object
from ralph.kernel.completion import GivenCriteria, RoleDefaults, check_criteria, completion_dict, filled
from ralph.kernel.task_rules import check_id, shown
from ralph.model.errors import ConfigError
from ralph.model.tasks import CompletionCriteria, Task, TaskCompletionSpec

HIGHEST_PRIORITY = 1_000_000
OTHER_NAMES = {"completion_spec": "completion", "spec": "spec_id", "depends_on": "dependencies"}
EXAMPLE = (
    'A good one: outcome "Every endpoint requires a valid token", '
    'acceptance criteria "An expired token gets status 401", "POST /login returns a token".'
)


class TaskRules(Struct, frozen=True):
    """What a task that is read must fit."""

    roles: dict[str, RoleDefaults]
    now: float
    spec: str | None = None
    """Of tasks that name none."""
    without_criteria: bool = False
    """Whether a task may go without any."""


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


class _CompletionShape(Struct):
    outcome: str = ""
    acceptance_criteria: tuple[str, ...] = ()


def tasks_in(documents: Iterable[Any], name: str, rules: TaskRules) -> list[Task]:
    found = [data for document in documents for data in _mappings(document, name)]
    if not found:
        raise ConfigError(f"{name} holds no task.", "See the shape of one: ralph task export ID")
    return [read_task(data, f"{name}, task {_named(data, number)}", rules) for number, data in enumerate(found, 1)]


def read_task(data: dict[str, Any], where: str, rules: TaskRules) -> Task:
    """`where` says in an error which task is meant."""
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
        created_at=rules.now,
        updated_at=rules.now,
        metadata=shape.metadata,
        completion_spec=_completion(shape, where, rules),
    )


def task_data(task: Task) -> dict[str, Any]:
    """As it stands in a file: what a person would have written, and nothing that ralph keeps for itself."""
    data: dict[str, Any] = {"id": task.id, "spec_id": task.spec_id, "title": task.title}
    data |= {"description": task.description} if task.description else {}
    data |= {"priority": task.priority, "dependencies": list(task.dependencies)}
    data |= {"assignee": task.assignee} if task.assignee else {}
    data |= {"metadata": task.metadata} if task.metadata else {}
    if task.completion_spec:
        completion = completion_dict(task.completion_spec)
        for role in task.completion_spec.roles:
            completion[role] = {key: value for key, value in completion[role].items() if value not in (None, {})}
        data["completion"] = completion
    return data


def file_data(tasks: list[Task]) -> dict[str, Any]:
    if len(tasks) == 1:
        return {"task": task_data(tasks[0])}
    return {"tasks": [task_data(task) for task in tasks]}


def _mappings(document: Any, name: str) -> Iterator[dict[str, Any]]:
    if isinstance(document, list):
        for item in cast("list[Any]", document):
            yield from _mappings(item, name)
    elif not is_object(document):
        raise ConfigError(f"{name} holds {shown(str(document))} where a task should be.", "A task is a mapping.")
    elif "task" in document or "tasks" in document:
        for key, value in document.items():
            if key not in ("task", "tasks"):
                raise ConfigError(f"{name} has {shown(str(key))} beside its tasks.", "Only task or tasks stands there.")
            if value is not None:
                yield from _mappings(value, name)
    else:
        yield document


def _named(data: dict[str, Any], number: int) -> str:
    name = data.get("id")
    return shown(name)[1:-1] if isinstance(name, str) and name.strip() else f"number {number}"


def _with_usual_names(data: dict[str, Any], where: str) -> dict[str, Any]:
    usual: dict[str, Any] = {}
    for key, value in data.items():
        name = OTHER_NAMES.get(key, key)
        if name in usual:
            raise ConfigError(f"{where}: {name} stands there twice, also as {key}.", "Keep one of them.")
        usual[name] = value
    return usual


def _completion(shape: _TaskShape, where: str, rules: TaskRules) -> TaskCompletionSpec | None:
    if shape.completion is None and rules.without_criteria:
        return None
    given = {key: value for key, value in (shape.completion or {}).items() if value is not None}
    overall = {key: given.pop(key) for key in _CompletionShape.__struct_fields__ if key in given}
    for name in given:
        _require_role(name, where, rules)
    done = as_shape(overall, _CompletionShape, where, "completion")
    if not done.outcome.strip():
        raise ConfigError(f"{where}: the outcome is missing.", EXAMPLE)
    if not done.acceptance_criteria:
        raise ConfigError(f"{where}: acceptance criteria are missing.", EXAMPLE)
    if not all(criterion.strip() for criterion in done.acceptance_criteria):
        raise ConfigError(f"{where}: an acceptance criterion is empty.", EXAMPLE)
    roles = {
        name: _criteria(name, value, shape.title, done.acceptance_criteria, where, rules.roles[name])
        for name, value in given.items()
    }
    return TaskCompletionSpec(done.outcome, done.acceptance_criteria, roles)


def _require_role(name: str, where: str, rules: TaskRules) -> None:
    if name in rules.roles:
        return
    meant = nearest(name, [*_CompletionShape.__struct_fields__, *rules.roles])
    raise ConfigError(
        f'{where}: completion has {shown(name)}, which is no role; the nearest key is "{meant}".',
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


def _require_line(text: str, what: str, where: str) -> None:
    if not text.strip():
        raise ConfigError(f"{where}: the {what} is empty.")
    if len(text.splitlines()) > 1 or text[-1] in "\r\n":
        raise ConfigError(f"{where}: the {what} must be one line.", "Put the rest into the description.")
