"""What ralph saw itself: of an agent's run, and of a check."""

from typing import Literal

from msgspec import Struct

from ralph.model.events import Problem, Tokens

AgentStatus = Literal["ok", "failed", "timeout", "idle"]


class AgentReport(Struct, frozen=True, omit_defaults=True):
    """One agent invocation, in numbers and references: never the transcript itself."""

    status: AgentStatus
    reason: str
    """One sentence: how it ended."""
    attempt_dir: str
    """Where its context.md, stream.ndjson, stderr.log and output.md lie, relative to the state directory."""
    exit_code: int | None = None
    duration: float = 0.0
    silent: bool = False
    """It wrote nothing at all."""
    plain: bool = False
    """Its answer is its whole standard output, for want of a structured one."""
    tail: str = ""
    """The end of what it wrote, for the feedback after a failure."""
    problem: Problem | None = None
    """Why it could not work, if it said so in its structured output."""
    agent: str = ""
    """The fallback agent, if that one ran."""
    cost_usd: float | None = None
    tokens: Tokens = Tokens()
    tools: int = 0
    tool_errors: int = 0
    sandbox: str = "none"

    @property
    def ok(self) -> bool:
        return self.status == "ok"


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What one check saw. It never decides."""

    check: str
    passed: bool
    reason: str
    exit_code: int | None = None
    output: str = ""
    """What the agent is to read of it, already shortened."""
    log: str = ""
    """Where the whole output lies, relative to the project."""
    duration: float = 0.0
    parts: tuple["Evidence", ...] = ()
    """What it is made of: the stages of a multi-stage check, the criteria of a semantic one."""
    required: bool = True
    """Of a part: whether it must pass. Otherwise it only warns."""
    problem: Problem | None = None
    """Why a model that was asked could not work: a quota is worth waiting for."""
    cost_usd: float | None = None
    tokens: Tokens = Tokens()
