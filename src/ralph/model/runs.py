"""A run: one execution of a recipe, and what is kept of it."""

from typing import Any, Literal

from msgspec import Struct

from ralph.model.events import Tokens

RunStatus = Literal["queued", "running", "waiting", "paused", "stopped", "interrupted", "ended"]


class Run(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    recipe: str
    recipe_version: int
    project: str
    status: RunStatus
    started_at: float
    options: dict[str, Any]
    """What the recipe was started with: enough to start the very same generator again."""
    parent_id: str | None = None
    task_id: str | None = None
    """The task of the project that it works on, if it works on one."""
    verdict: str | None = None
    reason: str = ""
    exit_code: int | None = None
    iterations: int = 0
    ended_at: float | None = None
    cost_usd: float | None = None
    tokens: Tokens = Tokens()
    pid: int = 0
    pid_started: float = 0.0


class Entry(Struct, frozen=True, kw_only=True):
    """One action of a run, once for each attempt at it. A killed attempt has no end."""

    run_id: str
    seq: int
    attempt: int
    iteration: int
    kind: str
    action: bytes
    started_at: float
    ended_at: float | None = None
    result: bytes | None = None
    error: str | None = None
