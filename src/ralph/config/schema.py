"""The settings: one schema for every file, every variable and every flag.

A docstring under a field is its documentation in `docs/settings.md` and in the screens.
"""

# ruff: noqa: RUF012 - a struct copies its empty list or dict for each instance
from typing import Any, Literal

from msgspec import convert, field

from ralph.config.base import Count, Section, Text
from ralph.config.durations import read_duration
from ralph.config.loops import (
    AgentSettings,
    BudgetSettings,
    DisplaySettings,
    EnvSettings,
    GuardrailSettings,
    QuotaSettings,
    SandboxSettings,
    ScmSettings,
    Supervise,
    Timeouts,
)
from ralph.config.specs import (
    Defaults,
    Executor,
    Model,
    Planner,
    RalphSection,
    Review,
    Reviewer,
    Role,
    Tools,
    Verification,
    VerificationStep,
    WorktreeSettings,
    default_models,
    default_pipeline,
    default_roles,
)

__all__ = [
    "AgentSettings",
    "BudgetSettings",
    "Defaults",
    "DisplaySettings",
    "EnvSettings",
    "Executor",
    "GuardrailSettings",
    "Model",
    "Planner",
    "QuotaSettings",
    "RalphSection",
    "Review",
    "Reviewer",
    "Role",
    "SandboxSettings",
    "ScmSettings",
    "Settings",
    "Supervise",
    "Timeouts",
    "Tools",
    "Verification",
    "VerificationStep",
    "WorktreeSettings",
    "apply_schema",
]


class Settings(Section, frozen=True):
    maximum_iterations: Count = 10
    """How many iterations `ralph run` makes before it gives up."""
    completion_response: Text = "DONE"
    """The word between `<response>` and `</response>` with which the agent of `ralph run` claims to be done."""
    output_truncate_chars: Count = 5000
    """How much of a failed guardrail's output `ralph run` shows to the agent. The log file has all of it."""
    stream_agent_output: bool = True
    """Whether `ralph run` shows what the agent does while it does it."""
    include_iteration_count_in_prompt: bool = False
    """Whether each prompt of `ralph run` begins with `Iteration X of Y, Z remaining.`"""
    learnings: bool = False
    """Whether the prompts of `ralph run` carry what earlier runs learned. The other loops always do."""
    agent: AgentSettings = AgentSettings()
    """The agent of `ralph run`."""
    guardrails: list[GuardrailSettings] = []
    """Commands that must pass after each iteration of `ralph run`, in order."""
    scm: ScmSettings | None = None
    """What `ralph run` does with version control when all guardrails pass. Nothing, unless it is set."""
    timeouts: Timeouts = Timeouts()
    """Time limits of every loop. `null`, `0` or `off` switches one off. A timeout keeps the work."""
    budget: BudgetSettings = BudgetSettings()
    """What a run of any loop may spend before it ends with exit code 4."""
    env: EnvSettings = EnvSettings()
    """What agents see of the environment, in every loop."""
    quota: QuotaSettings = QuotaSettings()
    """How every loop waits for a rate limit or an overloaded provider. Waiting uses up no iteration."""
    tools: Tools = Tools()
    """The agents, planners and reviewers to choose from, for `ralph spec run` and the other loops."""
    defaults: Defaults = Defaults()
    """Which of the tools `ralph spec run` takes."""
    rules: list[Text] = []
    """Rules of the project that stand in every chunk's prompt of `ralph spec run`."""
    verification: Verification = Verification()
    """Commands that `ralph spec run` uses to verify a chunk."""
    ralph: RalphSection = RalphSection()
    """Defaults of the stage loops of `ralph task run`. The keys in here are in snake case."""
    pipeline: list[Text] = field(default_factory=default_pipeline)
    """The roles that a task passes through in `ralph task run`, in order."""
    roles: dict[str, Role] = field(default_factory=default_roles)
    """The roles of `ralph task run` by name. A new name adds a role."""
    models: dict[str, Model] = field(default_factory=default_models)
    """Short names for the models that judge in `ralph task run`. A new name adds one."""
    worktree: WorktreeSettings = WorktreeSettings()
    """What `ralph task run` puts into the worktree of a task."""
    review: Review = Review()
    """When a review of `ralph spec run` blocks."""
    review_cap: Count = 5
    """How many times `ralph prd run` has one story reviewed before it is approved as it is."""
    skip_review: bool = False
    """Whether `ralph prd run` goes without reviews."""
    sandbox: Text | SandboxSettings | None = None
    """The sandbox of every loop: `none`, `auto`, `required`, a backend's name, or an object with options.
    Without it `ralph run` and `ralph supervise` take `none`, the others `auto`."""
    protected_paths: list[Text] = []
    """Files and folders that agents must leave alone, in every loop."""
    display: DisplaySettings = DisplaySettings()
    """How every loop shows what its agent does."""
    supervise: Supervise = Supervise()
    """What `ralph supervise` does besides restarting."""
    tamper: Literal["block", "warn", "off"] = "block"
    """What every loop does when an agent touches what judges it."""


def apply_schema(data: Any) -> Settings:
    """Every default filled in, every duration in seconds; a msgspec.ValidationError for what does not fit."""
    return convert(data, Settings, dec_hook=read_duration)
