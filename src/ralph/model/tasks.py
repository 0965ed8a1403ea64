"""A task, and what "done" means for it: that is fixed for each role when the task is written."""

from typing import Any, Literal

from msgspec import Struct, field

from ralph.model.verification import Method

TaskStatus = Literal["pending", "running", "completed", "failed", "skipped"]
DONE: tuple[TaskStatus, ...] = ("completed", "skipped")
"""The statuses that allow the dependents of a task to begin."""
BRANCHES = "ralph/"
"""The prefix of the branch that a spec's tasks deliver to; the spec's id follows."""
RunAs = Literal["pipeline", "chunk"]
"""How a task is driven: by one role after another, or by one agent until a review ships it."""
CriterionKind = Literal["judge", "check", "person", "time"]


class Criterion(Struct, frozen=True):
    """One acceptance criterion, and who decides whether it is met."""

    kind: CriterionKind
    """Who decides: a model judges it, a command shows it, or a person approves it. A person also approves `time`, which
    is a text about time: ralph measures nothing."""
    text: str
    """The text that a person reads."""
    command: str = ""
    """The command that shows whether the criterion is met."""
    question: str = ""
    """The question about the criterion, if it differs from the text."""

    @property
    def asked(self) -> str:
        """The question that a judge or a person answers. Evidence is stored under it."""
        return self.question or self.text


class OutputSummary(Struct, frozen=True, rename="camel"):
    """What a delivered task leaves for the tasks that depend on it."""

    summary: str
    files_created: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    exports_added: tuple[str, ...] = ()
    tests_added: tuple[str, ...] = ()
    verification_steps: tuple[str, ...] = ()


class CompletionCriteria(Struct, frozen=True):
    """The conditions under which one role has completed its stage."""

    promise: str
    """The text that the agent writes between `<promise>` and `</promise>`."""
    description: str
    verification_method: Method
    verification_config: dict[str, Any] = field(default_factory=dict[str, Any])
    max_iterations: int | None = None
    """The limit of iterations; None means the role's own limit."""


class TaskCompletionSpec(Struct, frozen=True):
    outcome: str
    """The outcome, one sentence that can be measured."""
    acceptance_criteria: tuple[Criterion, ...]
    roles: dict[str, CompletionCriteria] = field(default_factory=dict[str, CompletionCriteria])
    """The criteria of each role, by the role's name. In files each role is a key beside the outcome."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The questions of all criteria in order, so that a number means the same criterion everywhere."""
        return tuple(each.asked for each in self.acceptance_criteria)

    @property
    def judged(self) -> tuple[str, ...]:
        """The questions that a model judges."""
        return tuple(each.asked for each in self.acceptance_criteria if each.kind == "judge")


class Task(Struct, frozen=True, kw_only=True):
    id: str
    """The task's id, unique in its project."""
    spec_id: str
    title: str
    description: str = ""
    status: TaskStatus = "pending"
    priority: int = 0
    """The priority among tasks that are ready: the lower number goes first."""
    dependencies: tuple[str, ...] = ()
    assignee: str = ""
    created_at: float
    updated_at: float
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    iteration: int = 0
    """The iteration of the latest run."""
    completion_spec: TaskCompletionSpec | None = None
    may_change: tuple[str, ...] = ()
    """Patterns of the tests and judges that the agents may change because the task is about them."""
    relevant_files: tuple[str, ...] = ()
    """The files that the agent should read first, relative to the project."""
    max_iterations: int | None = None
    """How many times a chunk is tried; None means the limit of the settings."""
    summary: OutputSummary | None = None
    """The summary of the work, once the task is completed."""
    error: str = ""
    """Why the task failed."""

    @property
    def has_roles(self) -> bool:
        """Whether the task runs as a pipeline of roles. Otherwise it runs as a chunk."""
        return bool(self.completion_spec and self.completion_spec.roles)


class Spec(Struct, frozen=True, kw_only=True):
    id: str
    """The spec's id, unique in its project."""
    title: str
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    """The spec's overrides: settings in the form of a settings file, with the keys that a spec may set."""
    created_at: float
    updated_at: float
