"""The chunks that a planner proposes: what is wrong with them, and the tasks that they become."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct

from ralph.kernel.completion import GivenCriteria, RoleDefaults, check_criteria, filled, leaves, read_criterion
from ralph.kernel.plan_forms import ChunkDraft
from ralph.kernel.task_rules import check_dependencies, check_id, check_new_ids, shown
from ralph.model.errors import ConfigError
from ralph.model.tasks import CompletionCriteria, Criterion, Task, TaskCompletionSpec

MOST_CHUNKS = 60
"""The most chunks of one plan. More is a list that nobody reads, or a planner that has lost its way."""
LONGEST_TITLE = 200


class PresentTask(Struct, frozen=True, omit_defaults=True):
    """A task that the spec already has."""

    id: str
    title: str
    status: str = "pending"
    depends_on: tuple[str, ...] = ()
    outcome: str = ""

    @property
    def has_begun(self) -> bool:
        return self.status != "pending"


def chunk_problems(
    spec: str, chunks: Sequence[ChunkDraft], roles: Mapping[str, RoleDefaults], present: Sequence[PresentTask] = ()
) -> list[str]:
    """Why these chunks cannot become tasks, one sentence each; empty if they can."""
    if not chunks:
        return ["There is no chunk."]
    if len(chunks) > MOST_CHUNKS:
        return [f"{len(chunks)} chunks are too many: {MOST_CHUNKS} is the most. Propose fewer, larger ones."]
    begun = {each.id for each in present if each.has_begun}
    found = [
        f"{each.id} has begun already: it stays as it is. Give the chunk another id." for each in _in(chunks, begun)
    ]
    made: list[Task] = []
    for number, each in enumerate(chunks, 1):
        try:
            made.append(_task(spec, each, number, roles))
        except (ConfigError, ValueError) as error:
            found.append(f"Chunk {_named(each, number)}: {_sentence(error)}")
    if not found:
        found += _whole_problems(spec, made, present)
    return found


def chunk_tasks(
    spec: str, chunks: Sequence[ChunkDraft], roles: Mapping[str, RoleDefaults], *, first: int, now: float
) -> list[Task]:
    """The tasks. Their order is their priority, starting at `first`. A ConfigError or ValueError says what is wrong."""
    return [_task(spec, each, number, roles, now) for number, each in enumerate(chunks, first)]


def chunks_json(chunks: Sequence[ChunkDraft]) -> str:
    return msgspec.json.format(msgspec.json.encode(chunks), indent=2).decode()


def chunks_in(text: str) -> list[ChunkDraft]:
    """The chunks in a text that `chunks_json` made."""
    return msgspec.json.decode(text, type=list[ChunkDraft])


def files_named(chunks: Sequence[ChunkDraft]) -> tuple[str, ...]:
    """The files to read before the work begins, each once."""
    return tuple(dict.fromkeys(path for each in chunks for path in each.relevant_files if not leaves(path)))


def missing_file_notes(chunks: Sequence[ChunkDraft], missing: Sequence[str]) -> tuple[str, ...]:
    """Notes for each chunk that names files which the project does not have. An earlier chunk may create them."""
    gone = set(missing)
    named = ((each, [path for path in each.relevant_files if path in gone]) for each in chunks)
    return tuple(
        f"{each.id} names files that do not exist: {', '.join(paths)}. Unless another chunk makes them, correct it."
        for each, paths in named
        if paths
    )


def _in(chunks: Sequence[ChunkDraft], ids: set[str]) -> Iterator[ChunkDraft]:
    return (each for each in chunks if each.id in ids)


def _whole_problems(spec: str, made: Sequence[Task], present: Sequence[PresentTask]) -> list[str]:
    own, known = {task.id for task in made}, {each.id for each in present}
    # What they wait for in other specs does not matter here.
    there = [_bare(spec, each, known | own) for each in present if each.id not in own]
    try:
        check_new_ids(made)
        check_dependencies([*there, *made])
    except ConfigError as error:
        return [error.message[:1].upper() + error.message[1:]]
    return []


def _bare(spec: str, task: PresentTask, known: set[str]) -> Task:
    needs = tuple(each for each in task.depends_on if each in known)
    return Task(id=task.id, spec_id=spec, title=task.title, dependencies=needs, created_at=0.0, updated_at=0.0)


def _task(spec: str, chunk: ChunkDraft, priority: int, roles: Mapping[str, RoleDefaults], now: float = 0.0) -> Task:
    check_id("task", chunk.id)
    title = " ".join(chunk.title.split())
    if not title or len(title) > LONGEST_TITLE:
        raise ValueError("it has no title" if not title else f"its title is longer than {LONGEST_TITLE} characters")
    if not title.isprintable():
        raise ValueError(f"its title {shown(title)} has control characters")
    if not chunk.description.strip():
        raise ValueError("it has no description of what to do, step by step")
    for path in chunk.relevant_files:
        if not path.strip() or leaves(path) or not path.isprintable():
            raise ValueError(f"the relevant file {shown(path)} is not a path in the project")
    return Task(
        id=chunk.id,
        spec_id=spec,
        title=title,
        description=chunk.description,
        priority=priority,
        dependencies=tuple(dict.fromkeys(chunk.depends_on)),
        relevant_files=tuple(dict.fromkeys(chunk.relevant_files)),
        completion_spec=_completion(chunk, title, roles),
        created_at=now,
        updated_at=now,
    )


def _completion(chunk: ChunkDraft, title: str, roles: Mapping[str, RoleDefaults]) -> TaskCompletionSpec:
    if not chunk.outcome.strip():
        raise ValueError("it has no outcome: say in one sentence what can be seen when it is done")
    if not chunk.acceptance_criteria:
        raise ValueError("it has no acceptance criteria")
    accepted = tuple(_criterion(each, number) for number, each in enumerate(chunk.acceptance_criteria, 1))
    asked = tuple(each.asked for each in accepted)
    by_role = {name: _role(name, given, title, asked, roles) for name, given in _given(chunk.criteria).items()}
    return TaskCompletionSpec(" ".join(chunk.outcome.split()), accepted, by_role)


def _criterion(data: Any, number: int) -> Criterion:
    if isinstance(data, dict):
        given = cast("dict[str, Any]", data)
        data = {key: value for key, value in given.items() if key != "text" or value}
    try:
        return read_criterion(data)
    except ValueError as error:
        raise ValueError(f"acceptance criterion {number} {error}") from None


def _role(
    name: str, given: GivenCriteria, title: str, asked: tuple[str, ...], roles: Mapping[str, RoleDefaults]
) -> CompletionCriteria:
    if name not in roles:
        raise ValueError(f"{shown(name)} is not a role; roles are {', '.join(roles)}")
    try:
        made = filled(name, roles[name], title, given)
        check_criteria(made, asked)
    except ValueError as error:
        raise ValueError(f"role {name}: {error}") from None
    return made


class _RoleDraft(Struct, rename="camel"):
    role: str
    promise: str = ""
    description: str = ""
    command: str = ""
    check_for: list[str] = []


class _RoleInFile(Struct, rename="camel", forbid_unknown_fields=True):
    promise: str | None = None
    description: str | None = None
    verification_method: str | None = None
    verification_config: dict[str, Any] = {}
    max_iterations: int | None = None


def _given(criteria: Any) -> dict[str, GivenCriteria]:
    """The criteria, from the list of the planner's form or the mapping of task files, in snake_case or camelCase."""
    try:
        if isinstance(criteria, dict):
            by_role = msgspec.convert(criteria, dict[str, dict[str, Any]])
            return {name: _from_file(given) for name, given in by_role.items()}
        listed = msgspec.convert(criteria or [], list[_RoleDraft])
    except msgspec.ValidationError as error:
        raise ValueError(f"its criteria cannot be read: {error}") from None
    return {each.role: _from_draft(each) for each in listed}


def _from_file(given: dict[str, Any]) -> GivenCriteria:
    usual = {name: _camel(name) for name in GivenCriteria.__struct_fields__}
    renamed = {usual.get(key, key): value for key, value in given.items()}
    read = msgspec.convert(renamed, _RoleInFile)
    return msgspec.convert(msgspec.structs.asdict(read), GivenCriteria)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(map(str.title, rest))


def _from_draft(given: _RoleDraft) -> GivenCriteria:
    command = {"command": given.command} if given.command.strip() else None
    judged = {"check_for": given.check_for} if given.check_for else None
    promise, words = given.promise or None, given.description or None
    if command and judged:
        stages = [
            {"name": "command", "method": "external", "config": command},
            {"name": "criteria", "method": "semantic", "config": judged},
        ]
        return GivenCriteria(promise, words, "multi_stage", {"stages": stages})
    if command:
        return GivenCriteria(promise, words, "external", command)
    if judged:
        return GivenCriteria(promise, words, "semantic", judged)
    return GivenCriteria(promise, words)


def _named(chunk: ChunkDraft, number: int) -> str:
    return shown(chunk.id)[1:-1] if chunk.id.strip() else f"number {number}"


def _sentence(error: Exception) -> str:
    text = error.message if isinstance(error, ConfigError) else str(error)
    return f"{text.rstrip('.')}."
