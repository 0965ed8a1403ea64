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
    """Arguments for the agent of `ralph run`. An entry that begins with `-` is split as a shell would: `--model opus`
    is two words. Any other entry is one word."""


class GuardrailSettings(Section, frozen=True):
    command: Text
    """The shell command that `ralph run` starts after each iteration. An exit code other than zero is a failure."""
    fail_action: Literal["APPEND", "PREPEND", "REPLACE"] = "APPEND"
    """Where a failure's output goes in the next prompt of `ralph run`: after it, before it, or instead of it."""
    hint: str = ""
    """Advice that `ralph run` gives to the agent, word for word, when this guardrail fails."""
    baseline: Literal["strict", "relative"] = "strict"
    """Whether all tests of this guardrail of `ralph run` must pass, or only those that did not fail at the start."""
    red: bool = False
    """Whether this guardrail of `ralph run` must fail on the files at the start. If it passes there, that is a
    warning."""
    canary: bool = True
    """Whether `ralph run` tries this guardrail with tests that must fail, to see that it can."""
    proof: bool = True
    """Whether `ralph run` also tries this guardrail on clean checkouts. Say `false` if it has side effects."""


class ScmSettings(Section, frozen=True):
    command: Text = "git"
    """The version control program that `ralph run` starts for each task."""
    tasks: list[Text] = []
    """What `ralph run` does with version control once the guardrails pass, in order, such as `commit` and `push`."""
    hooks: bool = True
    """Whether git runs your hooks in the SCM tasks of `ralph run`. Hooks that changed during the run do not run."""


class Timeouts(Section, Timed, frozen=True):
    agent: Timeout | None = None
    """How long one iteration of an agent may take, in every loop. It is off unless it is set."""
    guardrail: Timeout | None = Timeout(1800)
    """How long one guardrail or verification command may take, in every loop."""
    idle: Timeout | None = Timeout(1800)
    """How long an agent may write nothing at all before its iteration is ended, in every loop."""


class BudgetSettings(Section, Timed, frozen=True):
    usd: Annotated[float, Meta(gt=0)] | None = None
    """How many US dollars a run may spend. Every loop checks it before each iteration."""
    tokens: Count | None = None
    """How many tokens a run may use, input and output together. Every loop checks it before each iteration."""
    seconds: PositiveDuration | None = None
    """How much time a run's work may take. Every loop checks it before each iteration."""


class StallSettings(Section, frozen=True):
    after: Count | None = 5
    """After how many iterations in a row without progress every loop ends with exit code 5: the files are the same, and
    the same checks fail with the same output, apart from times, paths and numbers. `null` for never."""


class EnvSettings(Section, frozen=True):
    pass_: list[Text] = field(name="pass", default_factory=list[str])
    """Names of further environment variables that every loop passes to its agents and checks if `env.inherit` is
    `allow-list`."""
    inherit: Literal["all", "allow-list"] = "all"
    """Which environment variables agents, guardrails and checks see, in every loop: all, or only the basics, what
    `env.pass` names and, for a known agent, the variables of its model providers."""
    secrets: list[Text] = []
    """Names of further environment variables whose values every loop masks in everything that it writes and shows,
    such as `ACME_*`. Names that look secret are masked anyway."""


class DisplaySettings(Section, frozen=True):
    emoji: bool = True
    """Whether every loop marks what the agent does with emoji, or with plain markers such as `[OK]` and `[ERR]`."""
    color: Literal["auto", "never"] = "auto"
    """Whether every loop shows colour on a terminal, unless `NO_COLOR` is set; or never."""
    timestamps: bool = False
    """Whether every loop puts the time before each line that it shows, ralph's own lines too."""
    thinking: bool = False
    """Whether every loop shows what the agent thinks, dimmed, if the agent reports it."""
    max_output_lines: Count = 3
    """How many lines of a tool's output every loop shows: the last ones of a command, the first ones of other tools."""
    max_output_chars: Count = 400
    """How many characters of a tool's output every loop shows."""


class QuotaSettings(Section, Timed, frozen=True):
    initial_wait: PositiveDuration = PositiveDuration(60)
    """How long every loop waits after a rate limit that names no time. The wait doubles with each repetition."""
    max_wait: PositiveDuration = PositiveDuration(3600)
    """The longest single wait for a quota, in every loop."""
    fallback_agent: Text | None = None
    """The agent or executor that every loop uses while the quota of the first one is used up."""


class SandboxSettings(Section, frozen=True):
    backend: Text | None = None
    """The sandbox that the agents of every loop run in: `none`, `auto`, `required` or a backend's name."""
    network: Text | None = None
    """What the agents of every loop may reach over the network. Without it the backend's default applies."""
    allow: list[Text] = []
    """Hosts that agents may reach although the network is closed, in every loop with a sandbox."""
    limits: dict[str, int | float | str] = {}
    """How much of the machine the backend may use, by the backend's own names, in every loop with a sandbox."""


class PrdSettings(Section, frozen=True):
    max_iterations: Count = 15
    """How many iterations `ralph prd run` makes before it gives up. `-n` takes precedence."""


class Supervise(Section, Timed, frozen=True):
    done_grace: Duration = Duration(300)
    """How long `ralph supervise` lets the agent finish once the DONE file exists."""


class ProofSettings(Section, Timed, frozen=True):
    budget: PositiveDuration = PositiveDuration(600)
    """How long the extra trials of one check may take at a claim, in every loop. Trials that would take longer are left
    out, and the record names them."""
    signing_key: Text | None = None
    """An ssh key with which `ralph run` and `ralph task run` sign the records of proofs. A key with a passphrase must
    be in ssh-agent."""
    allowed_signers: Text | None = None
    """A file of allowed signers, in the format of `ssh-keygen`. With it `ralph proof verify` accepts only records that
    one of them signed."""
    require: list[Text] | None = None
    """The commands that a record must contain for `ralph proof verify`. Without it these are the guardrails, the
    verification steps and the commands of the roles in the pipeline."""


class GuardSettings(Section, frozen=True):
    max_blocks: Count = 5
    """How many times in a row `ralph guard` refuses an agent's stop because the work is not proven. After that it lets
    the agent stop, and says so. Claude Code itself stops refusing after 8."""
