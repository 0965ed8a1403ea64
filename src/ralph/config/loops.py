"""The sections that every loop reads: the agent, what judges it, and its limits."""

# ruff: noqa: RUF012 - a struct copies its empty list or dict for each instance
from typing import Annotated, Literal

from msgspec import Meta, field

from ralph.config.base import Count, Section, Text
from ralph.config.durations import Duration, PositiveDuration, Timed, Timeout


class AgentSettings(Section, frozen=True):
    command: Text | None = None
    """The agent that `ralph run` starts: a known agent such as claude, the id of an executor, or any command."""
    flags: list[str] = []
    """Arguments for the agent of `ralph run`. Each entry is split as a shell would, so `--model opus` is two words."""


class GuardrailSettings(Section, frozen=True):
    command: Text
    """The shell command that `ralph run` starts after each iteration. An exit code other than zero is a failure."""
    fail_action: Literal["APPEND", "PREPEND", "REPLACE"] = "APPEND"
    """Where a failure's output goes in the next prompt of `ralph run`: after it, before it, or in its stead."""
    hint: str = ""
    """Advice that `ralph run` gives to the agent, word for word, when this guardrail fails."""


class ScmSettings(Section, frozen=True):
    command: Text = "git"
    """The version control program that `ralph run` starts for each task."""
    tasks: list[Text] = []
    """What `ralph run` does with it once the guardrails pass, in order, such as `commit` and `push`."""


class Timeouts(Section, Timed, frozen=True):
    agent: Timeout | None = None
    """How long one iteration of an agent may take, in every loop. Off unless it is set."""
    guardrail: Timeout | None = Timeout(1800)
    """How long one guardrail or verification command may take, in every loop."""
    idle: Timeout | None = Timeout(1800)
    """How long an agent may write nothing at all before its iteration is ended, in every loop."""


class BudgetSettings(Section, Timed, frozen=True):
    usd: Annotated[float, Meta(gt=0)] | None = None
    """The money that a run may spend, in US dollars. Every loop looks at it before each iteration."""
    tokens: Count | None = None
    """The tokens that a run may use, input and output together. Every loop looks at it before each iteration."""
    seconds: PositiveDuration | None = None
    """The time that a run's work may take. Every loop looks at it before each iteration."""


class EnvSettings(Section, frozen=True):
    pass_: list[Text] = field(name="pass", default_factory=list[str])
    """Names of further environment variables that every loop hands on to its agents."""
    inherit: Literal["allow-list", "all"] = "allow-list"
    """What known agents see of the environment, in every loop: what they need and `env.pass`, or all of it."""


class DisplaySettings(Section, frozen=True):
    emoji: bool = True
    """Whether every loop marks what the agent does with emoji, or with plain markers such as `[OK]` and `[ERR]`."""
    color: Literal["auto", "never"] = "auto"
    """Whether every loop shows colour on a terminal, unless `NO_COLOR` is set; or never."""
    timestamps: bool = False
    """Whether every loop puts the time before each line of agent output."""
    max_output_lines: Count = 3
    """How many lines of a tool's output every loop shows."""
    max_output_chars: Count = 400
    """How many characters of a tool's output every loop shows."""


class QuotaSettings(Section, Timed, frozen=True):
    initial_wait: PositiveDuration = PositiveDuration(60)
    """How long every loop waits after a rate limit that names no time. The wait doubles with each repetition."""
    max_wait: PositiveDuration = PositiveDuration(3600)
    """The longest single wait for a quota, in every loop."""
    fallback_agent: Text | None = None
    """The agent or executor that every loop turns to while the quota of the first one is used up."""


class SandboxSettings(Section, frozen=True):
    backend: Text | None = None
    """The sandbox that the agents of every loop run in: `none`, `auto`, `required` or a backend's name."""
    network: Text | None = None
    """What the agents of every loop may reach over the network. Without it the backend's default holds."""
    allow: list[Text] = []
    """Hosts that agents may reach although the network is closed, in every loop with a sandbox."""
    limits: dict[str, int | float | str] = {}
    """What the backend may use of the machine, by the backend's own names, in every loop with a sandbox."""


class Supervise(Section, Timed, frozen=True):
    done_grace: Duration = Duration(30)
    """How long `ralph supervise` lets the agent finish once the DONE file is there."""
