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
    GuardSettings,
    PrdSettings,
    ProofSettings,
    QuotaSettings,
    SandboxSettings,
    ScmSettings,
    StallSettings,
    Supervise,
    Timeouts,
)
from ralph.config.specs import (
    Defaults,
    Executor,
    Model,
    Planner,
    Price,
    RalphSection,
    Review,
    Reviewer,
    Role,
    SpecSettings,
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
    "GuardSettings",
    "GuardrailSettings",
    "Model",
    "Planner",
    "PrdSettings",
    "Price",
    "ProofSettings",
    "QuotaSettings",
    "RalphSection",
    "Review",
    "Reviewer",
    "Role",
    "SandboxSettings",
    "ScmSettings",
    "Settings",
    "SpecSettings",
    "StallSettings",
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
    """Whether `ralph run` shows what the agent does while it works."""
    include_iteration_count_in_prompt: bool = False
    """Whether each prompt of `ralph run` begins with `Iteration X of Y, Z remaining.`"""
    agent: AgentSettings = AgentSettings()
    """The agent of `ralph run`."""
    guardrails: list[GuardrailSettings] = []
    """Commands that must pass after each iteration of `ralph run`, in order."""
    scm: ScmSettings | None = None
    """What `ralph run` does with version control when all guardrails pass. Without it, nothing."""
    timeouts: Timeouts = Timeouts()
    """Time limits of every loop. `null`, `0` or `off` switches one off. A timeout keeps the work."""
    budget: BudgetSettings = BudgetSettings()
    """What a run of any loop may spend before it ends with exit code 4."""
    stall: StallSettings = StallSettings()
    """When every loop ends because its iterations bring no progress."""
    on_end: Text | None = None
    """A shell command that every loop starts when a run that no other run started has ended. It finds `RALPH_END_RUN`,
    `RALPH_END_VERDICT` and `RALPH_END_REASON` in its environment, and the `ralph show --json` of the run on standard
    input. A failure is a warning."""
    env: EnvSettings = EnvSettings()
    """What agents see of the environment, in every loop."""
    quota: QuotaSettings = QuotaSettings()
    """How every loop waits for a rate limit or an overloaded provider. Waiting uses no iteration."""
    tools: Tools = Tools()
    """The agents, planners and reviewers to choose from, for `ralph spec run` and the other loops."""
    defaults: Defaults = Defaults()
    """Which of the tools `ralph spec run` uses."""
    rules: list[Text] = []
    """Rules of the project that are in every prompt of `ralph spec run`, `ralph task run` and `ralph prd run`."""
    verification: Verification = Verification()
    """Commands with which `ralph spec run` and `ralph task run` verify every task."""
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
    """How `ralph spec run` handles the findings of a review."""
    spec: SpecSettings = SpecSettings()
    """How `ralph spec run` works through the tasks of a spec."""
    prd: PrdSettings = PrdSettings()
    """The limits of `ralph prd run`."""
    review_cap: Count = 5
    """How many times `ralph prd run` has one story reviewed before it is approved as it is."""
    skip_review: bool = False
    """Whether `ralph prd run` skips reviews."""
    sandbox: Text | SandboxSettings | None = None
    """The sandbox of every loop: `none`, `auto`, `required`, a backend's name, or an object with options.
    Without it `ralph run` and `ralph supervise` take `none`, the others `auto`."""
    protected_paths: list[Text] = []
    """Files and folders that agents must not change, as patterns such as `ci/**`. `ralph run` and `ralph task run`
    restore them after each iteration, and say so."""
    may_change: list[Text] = []
    """Files that judge the work and that the agents of `ralph run` and `ralph task run` may still change, such as
    `tests/old/**`, because the work is about them."""
    proof: ProofSettings = ProofSettings()
    """How a claim to be done is proven, in every loop."""
    guard: GuardSettings = GuardSettings()
    """What `ralph guard` does when an agent of another loop wants to stop."""
    agents_may_plan: bool = False
    """Whether an agent may add tasks: `ralph task create --from-agent`, in every loop. Without it no process inside a
    run can write a task."""
    display: DisplaySettings = DisplaySettings()
    """How every loop shows what its agent does."""
    supervise: Supervise = Supervise()
    """What `ralph supervise` does besides restarting."""
    tamper: Literal["block", "warn", "off"] = "block"
    """What every loop does when a claim does not hold with the tests and judges of the base: the claim counts as not
    done, it is a warning, or nothing is tried beyond the check itself."""


def apply_schema(data: Any) -> Settings:
    """The settings with every default filled in and every duration in seconds; a msgspec.ValidationError if the data
    does not fit.
    """
    return convert(data, Settings, dec_hook=read_duration)
