"""What ralph itself observed: the report of an agent call, and the evidence of a check."""

from typing import Literal

from msgspec import Struct

from ralph.model.events import Problem, Tokens
from ralph.model.proof import Finding, Proof, TrialSeen

AgentStatus = Literal["ok", "failed", "timeout", "idle"]
NOT_VERIFIED = "not verified"
"""What every record says about a stage that runs once."""


class Spent(Struct, frozen=True, omit_defaults=True):
    usd: float | None = None
    tokens: Tokens = Tokens()
    seconds: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        known = [each for each in (self.usd, other.usd) if each is not None]
        return Spent(sum(known) if known else None, self.tokens + other.tokens, self.seconds + other.seconds)


NOTHING = Spent()


class Result(Struct, frozen=True, rename="camel"):
    """The result of an action. Every kind of result says here what was spent and what is wrong."""

    @property
    def spent(self) -> Spent:
        return NOTHING

    @property
    def complaint(self) -> str:
        """What is wrong, in a few words; empty if nothing is."""
        return ""

    @property
    def iterations_below(self) -> int:
        """How many iterations a child run made, if the action ran one."""
        return 0


class Done(Result, frozen=True):
    """The action was performed, and there is nothing more to report."""


class AgentReport(Result, frozen=True):
    """One agent invocation, in numbers and references: never the transcript itself."""

    status: AgentStatus
    reason: str
    """How the agent ended, in one sentence."""
    attempt_dir: str
    """The folder with stream.ndjson and stderr.log, relative to the project."""
    exit_code: int | None = None
    duration: float = 0.0
    silent: bool = False
    """Whether the agent wrote nothing to standard output."""
    plain: bool = False
    """Whether the answer is the whole standard output, because the agent has no structured one."""
    final: str = ""
    """The final message as it was when the agent ended, or the end of a very long one. Ralph never reads it again from
    a file that the agent can reach."""
    tail: str = ""
    """The end of the agent's output, for the feedback after a failure."""
    complaint_tail: str = ""
    """The end of the agent's standard error, after a failure."""
    problem: Problem | None = None
    """Why the agent could not work, if its structured output says so."""
    agent: str = ""
    """The fallback agent, if it ran instead."""
    cost_usd: float | None = None
    tokens: Tokens = Tokens()
    tools: int = 0
    tool_errors: int = 0
    sandbox: str = "none"
    was_ended: bool = False
    """Whether ralph ended the agent because it continued although its work was done."""
    interrupted: bool = False
    """Whether ralph itself was ended during the call, so that nobody saw how the agent ended."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def spent(self) -> Spent:
        return Spent(self.cost_usd, self.tokens, self.duration)

    @property
    def complaint(self) -> str:
        return f"agent: {self.denial or self.reason}" if self.denial or not self.ok else ""

    @property
    def denial(self) -> str:
        """The permission that the agent was denied, in a few words; empty if none."""
        return self.problem.message if self.problem and self.problem.kind == "permission" else ""


class Evidence(Result, frozen=True):
    """What one check observed. Evidence never decides."""

    check: str
    passed: bool
    reason: str
    exit_code: int | None = None
    output: str = ""
    """The output that the agent gets to read, already shortened."""
    output_end: str = ""
    """The last lines of the output, for a person, if the check failed."""
    log: str = ""
    """The file with the whole output, relative to the project."""
    kept_log: str = ""
    """The file that keeps the output as long as the run, if a later run may overwrite `log`."""
    duration: float = 0.0
    parts: tuple["Evidence", ...] = ()
    """The parts of a combined check: the stages of a multi-stage check, or the criteria of a semantic one."""
    required: bool = True
    """Whether a part must pass. A part that is not required only warns."""
    problem: Problem | None = None
    """Why the model that should judge could not work."""
    findings: tuple[Finding, ...] = ()
    """What judges that the agent cannot touch found against the work: blocks, warnings and notes."""
    proof: Proof | None = None
    """How much this evidence proves; None if no proof was asked for."""
    trials: tuple[TrialSeen, ...] = ()
    claim: str = ""
    """The SHA-256 of the final message with which the agent made the claim. The journal holds the message itself."""

    @property
    def spent(self) -> Spent:
        return Spent(seconds=self.duration)

    @property
    def complaint(self) -> str:
        return "" if self.passed else f"{self.check}: {self.reason}"
