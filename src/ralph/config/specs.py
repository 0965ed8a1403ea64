"""The sections for specs, tasks and their roles."""

# ruff: noqa: RUF012 - a struct copies its empty list or dict for each instance
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from ralph.config.base import Count, Section, Text
from ralph.model.verification import Method

ANY_PROGRAM = ("command", "generic", "acp")
"""The types of executors that do not stand for one specific program."""


class Executor(Section, frozen=True):
    id: Text
    """The name by which `agent.command`, `defaults.executor` and `--agent` choose this executor."""
    name: str = ""
    """The name of this executor in the first line of every loop in which it works."""
    type: Text = "command"
    """The kind of agent, such as claude or codex, or `command` for any other program. Every loop reads it."""
    command: Text | None = None
    """The command that every loop starts for it. `{prompt}` and `{prompt_file}` are replaced; without them the prompt
    goes to stdin."""
    flags: list[str] = []
    """Its arguments, in every loop. An entry that begins with `-` is split as a shell would."""
    model: Text | None = None
    """The model that every loop asks it to use."""
    endpoint: Text | None = None
    """Where its model is served, for agents that support it; for `opencode` the running server that does the work.
    Every loop reads it."""

    def __post_init__(self) -> None:
        if self.type in ANY_PROGRAM and self.command is None:
            raise ValueError(f'of the type "{self.type}" needs a "command"')


class Planner(Section, frozen=True):
    id: Text
    """The name by which `defaults.planner` chooses this planner."""
    name: str = ""
    """The name of this planner on the screens when `ralph spec` plans."""
    model: Text | None = None
    """The model with which `ralph prd plan` plans, and `ralph spec` refines a spec and cuts it into chunks."""
    agent: Text | None = None
    """The agent that runs the model when `ralph prd plan` or `ralph spec` plans. Without it the vendor of the model
    decides."""


class Reviewer(Section, frozen=True):
    id: Text
    """The name by which the reviewers in `defaults` choose this one."""
    name: str = ""
    """The name of this reviewer on the screens of `ralph spec run` and `ralph review`."""
    model: Text | None = None
    """The model that reviews for `ralph spec run` and `ralph review`."""
    agent: Text | None = None
    """The agent that runs the model for `ralph spec run` and `ralph review`. Without it the vendor of the model
    decides, and otherwise the executor."""
    command: Text | None = None
    """A review program of your own, instead of a model: `ralph spec run` and `ralph review` give it the change as JSON
    and read its review as JSON."""
    checks: list[Text] = []
    """What this reviewer looks for in `ralph spec run` and `ralph review`, such as `types` or `race_conditions`,
    instead of what its tier looks for."""

    def __post_init__(self) -> None:
        if self.command and (self.model or self.agent):
            raise ValueError('has a "command", so it must have no "model" and no "agent"')


class Tools(Section, frozen=True):
    executors: list[Executor] = []
    """The agents that do the work, in every loop, besides those that ralph knows by name."""
    planners: list[Planner] = []
    """The models that plan for `ralph prd plan` and `ralph spec`."""
    reviewers: list[Reviewer] = []
    """The models and programs that review for `ralph spec run`."""

    def __post_init__(self) -> None:
        for key, tools in (("executors", self.executors), ("planners", self.planners), ("reviewers", self.reviewers)):
            if twice := _first_twice(tool.id for tool in tools):
                raise ValueError(f'has the id "{twice}" twice in "{key}"')


class Defaults(Section, frozen=True):
    executor: Text | None = None
    """The executor or agent that does the work in `ralph spec run` and `ralph task run`; it takes precedence over
    `agent.command`. The other loops use it if there is no `agent.command`."""
    planner: Text | None = None
    """The planner of `ralph prd plan` and `ralph spec`."""
    quick_reviewer: Text | None = None
    """The reviewer of each iteration in `ralph spec run`; `none` for no such review."""
    deep_reviewer: Text | None = None
    """The reviewer before `ralph spec run` calls a chunk done; `none` for no such review. Without it the final reviewer
    does this too."""
    final_reviewer: Text | None = None
    """The reviewer of the whole change at the end of `ralph spec run`, and of `ralph review`; `none` for no such
    review."""
    max_iterations: Count = 5
    """How many times `ralph spec run` tries each chunk."""


class VerificationStep(Section, frozen=True):
    name: Text
    """The name of this step in the reports of `ralph spec run`."""
    command: Text
    """The shell command that `ralph spec run` starts on the committed files. An exit code other than zero is a
    failure."""
    required: bool = True
    """Whether a failure makes `ralph spec run` undo the work and try again, or is only reported."""
    parallel: bool = False
    """Whether `ralph spec run` may start this step at the same time as neighbours that say the same."""
    baseline: Literal["strict", "relative"] = "strict"
    """Whether all tests of this step must pass in `ralph spec run`, or only those that did not fail at the base."""
    red: bool = False
    """Whether this step must fail on the base of `ralph spec run`. If it passes there, that is a warning."""
    canary: bool = True
    """Whether `ralph spec run` tries this step with tests that must fail, to see that it can."""
    proof: bool = True
    """Whether `ralph spec run` also tries this step with the base's tests. Say `false` if it has side effects."""


class Verification(Section, frozen=True):
    enabled: bool = True
    """Whether `ralph spec run` and `ralph task run` start these steps at all."""
    steps: list[VerificationStep] = []
    """What `ralph spec run` and `ralph task run` start after each commit of a chunk and with every stage's
    verification, in order, up to the first required step that fails."""


# These keys are written in snake case, unlike all others.
class RalphSection(Struct, frozen=True, forbid_unknown_fields=True):
    enabled: bool = True
    """Whether the stages of `ralph task run` and `ralph spec run` are loops. Otherwise each runs once and nothing is
    verified, and every record says so."""
    default_max_iterations: Count = 10
    """The limit of iterations for a role in `ralph task run` that has none of its own."""
    default_verification: Method = "string_match"
    """How `ralph task run` verifies a role that names no method of its own."""
    semantic_model: Text | None = None
    """The model that judges semantic criteria of `ralph task run` that name none: a name of `models`, an executor, or
    a model. Without it the agent of the role judges."""
    on_judge_error: Literal["fail", "string_match"] = field(name="onJudgeError", default="fail")
    """What `ralph task run` does if a judge cannot be asked: `fail` verifies nothing, and ends the run if asking again
    cannot help; `string_match` accepts the promise, and every record says "by promise only"."""


class Role(Section, frozen=True):
    agent: Text | None = None
    """The agent or executor that plays this role in `ralph task run`. Without it the default executor does."""
    model: Text | None = None
    """The model of this role in `ralph task run`."""
    promise: Text = "STAGE_COMPLETE"
    """What the agent says to claim that its stage of `ralph task run` is complete."""
    max_iterations: Count | None = None
    """The limit of iterations for this role in `ralph task run`. Without it `ralph.default_max_iterations` applies."""
    verification: Method | None = None
    """How `ralph task run` verifies the claim. Without it `ralph.default_verification` applies."""
    verification_config: dict[str, Any] = {}
    """What the method needs, such as the command of `external`, if a task of `ralph task run` does not say it."""
    enabled: bool = True
    """Whether the role is in the pipeline of `ralph task run` at all."""
    loop: bool = True
    """Whether the stage of this role in `ralph task run` is a loop. Otherwise it runs once and nothing is verified, and
    every record says so."""
    instructions: str = ""
    """What the agent of this role is told to do in `ralph task run`, before the task itself."""


class Price(Section, frozen=True):
    """The price in dollars per million tokens."""

    input: Annotated[float, Meta(ge=0)]
    """The price of a million tokens that the model reads: `ralph cost` and the budget of every loop use it."""
    output: Annotated[float, Meta(ge=0)]
    """The price of a million tokens that the model writes, for `ralph cost` and the budget of every loop."""
    cache_read: Annotated[float, Meta(ge=0)] | None = None
    """The price of a million tokens from its cache, for `ralph cost` and every loop; `null`: the same as `input`."""
    cache_write: Annotated[float, Meta(ge=0)] | None = None
    """The price of a million tokens into its cache, for `ralph cost` and every loop; `null`: the same as `input`."""


class Model(Section, frozen=True):
    agent: Text
    """The agent or executor that `ralph task run` asks for this model."""
    model: Text | None = None
    """The name of the model for that agent of `ralph task run`."""
    price: Price | None = None
    """The price of the model, if its agent reports tokens and no dollars: for `ralph cost` and the budget of every
    loop. Without `model` it is the price of the agent's default model."""


class WorktreeSettings(Section, frozen=True):
    copy: list[Text] = []
    """Files that git does not track and a task needs, such as `.env`: `ralph task run` copies them into the worktree.
    Patterns are relative to the project."""
    init: Text | None = None
    """A shell command that `ralph task run` starts in a new worktree, such as `npm ci`."""


class Review(Section, frozen=True):
    on_revise: Literal["discard", "keep"] = "discard"
    """What happens to the work when a review of `ralph spec run` or `ralph task run` says REVISE: it is reset to the
    chunk's base, or kept for the next iteration. Discarded work stays reachable."""
    final_rounds: Count = 2
    """How many times `ralph spec run` turns the findings of the final review into a task and reviews again, before the
    spec fails."""


class SpecSettings(Section, frozen=True):
    on_failure: Literal["continue", "stop"] = "continue"
    """What `ralph spec run` does when a task fails: it skips only the tasks that depend on it, or ends the spec."""


def default_roles() -> dict[str, Role]:
    return {
        "coder": Role(promise="IMPLEMENTATION_COMPLETE", max_iterations=15, verification="external"),
        "reviewer": Role(promise="REVIEW_PASSED", max_iterations=5, verification="semantic"),
        "tester": Role(promise="TESTS_PASSED", max_iterations=10, verification="external"),
        "qa": Role(promise="QA_PASSED", max_iterations=5, verification="multi_stage"),
    }


def default_models() -> dict[str, Model]:
    return {name: Model(agent="claude", model=name) for name in ("haiku", "sonnet", "opus")}


def default_pipeline() -> list[str]:
    return list(default_roles())


def _first_twice(ids: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            return name
        seen.add(name)
    return None
