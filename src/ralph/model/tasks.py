"""A task, and what "done" means for it: fixed when the task is written, for each role."""

from typing import Any, Literal

from msgspec import Struct, field

from ralph.model.verification import Method

TaskStatus = Literal["pending", "running", "completed", "failed"]


class CompletionCriteria(Struct, frozen=True):
    """When one role has completed its stage."""

    promise: str
    """What its agent says between `<promise>` and `</promise>`."""
    description: str
    verification_method: Method
    verification_config: dict[str, Any] = field(default_factory=dict[str, Any])
    max_iterations: int | None = None
    """None: the role's own limit."""


class TaskCompletionSpec(Struct, frozen=True):
    outcome: str
    """One sentence that can be measured."""
    acceptance_criteria: tuple[str, ...]
    roles: dict[str, CompletionCriteria] = field(default_factory=dict[str, CompletionCriteria])
    """By the name of the role. In files each stands beside the outcome, under its name."""


class Task(Struct, frozen=True, kw_only=True):
    id: str
    """Unique in its project."""
    spec_id: str
    title: str
    description: str = ""
    status: TaskStatus = "pending"
    priority: int = 0
    """The lower the earlier, among tasks that are ready."""
    dependencies: tuple[str, ...] = ()
    assignee: str = ""
    created_at: float
    updated_at: float
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    iteration: int = 0
    """Of the latest run."""
    completion_spec: TaskCompletionSpec | None = None


class Spec(Struct, frozen=True, kw_only=True):
    id: str
    """Unique in its project."""
    title: str
    created_at: float
    updated_at: float
