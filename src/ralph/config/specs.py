"""The sections that specs, tasks and their roles read."""

# ruff: noqa: RUF012 - a struct copies its empty list or dict for each instance
from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct

from ralph.config.base import Count, Section, Text
from ralph.model.verification import Method


class Executor(Section, frozen=True):
    id: Text
    """The name by which `agent.command`, `defaults.executor` and `--agent` choose this executor."""
    name: str = ""
    """What the screens of `ralph spec run` call it."""
    type: Text = "command"
    """The agent that it is, such as claude or codex, or `command` for any other program. Read by every loop."""
    command: Text | None = None
    """The command that every loop starts for it. `{prompt}` and `{prompt_file}` are filled in; neither means stdin."""
    flags: list[str] = []
    """Its arguments, in every loop. Each entry is split as a shell would."""
    model: Text | None = None
    """The model that every loop asks it to use."""
    endpoint: Text | None = None
    """The address of the server behind it, for agents that have one, in every loop."""


class Planner(Section, frozen=True):
    id: Text
    """The name by which `defaults.planner` chooses this planner."""
    name: str = ""
    """What the screens call it when `ralph spec` plans."""
    model: Text | None = None
    """The model with which `ralph spec` refines a spec and cuts it into chunks."""
    agent: Text | None = None
    """The agent that runs the model when `ralph spec` plans. Without it the vendor of the model decides."""


class Reviewer(Section, frozen=True):
    id: Text
    """The name by which the reviewers in `defaults` choose this one."""
    name: str = ""
    """What the screens of `ralph spec run` call it."""
    model: Text | None = None
    """The model that reviews for `ralph spec run`."""
    agent: Text | None = None
    """The agent that runs the model for `ralph spec run`. Without it the vendor of the model decides."""
    command: Text | None = None
    """A review program of your own: `ralph spec run` gives it the change as JSON and reads its verdict as JSON."""
    checks: list[Text] = []
    """What this reviewer looks for in `ralph spec run`, such as `types` or `race_conditions`."""


class Tools(Section, frozen=True):
    executors: list[Executor] = []
    """The agents that do the work, in every loop, besides those that ralph knows by name."""
    planners: list[Planner] = []
    """The models that plan for `ralph spec`."""
    reviewers: list[Reviewer] = []
    """The models and programs that review for `ralph spec run`."""

    def __post_init__(self) -> None:
        for key, tools in (("executors", self.executors), ("planners", self.planners), ("reviewers", self.reviewers)):
            if twice := _first_twice(tool.id for tool in tools):
                raise ValueError(f'has the id "{twice}" twice in "{key}"')


class Defaults(Section, frozen=True):
    executor: Text | None = None
    """The executor or agent that does the work in `ralph spec run` and `ralph task run`."""
    planner: Text | None = None
    """The planner of `ralph spec`."""
    quick_reviewer: Text | None = None
    """The reviewer of each iteration in `ralph spec run`."""
    deep_reviewer: Text | None = None
    """The reviewer before `ralph spec run` calls a chunk done. Without it the final reviewer does this too."""
    final_reviewer: Text | None = None
    """The reviewer of the whole change before `ralph spec run` opens a pull request."""
    max_iterations: Count = 5
    """How many times `ralph spec run` tries each chunk."""


class VerificationStep(Section, frozen=True):
    name: Text
    """What the reports of `ralph spec run` call this step."""
    command: Text
    """The shell command that `ralph spec run` starts after each commit. An exit code other than zero is a failure."""
    required: bool = True
    """Whether a failure makes `ralph spec run` take the work back and try again, or is only reported."""


class Verification(Section, frozen=True):
    enabled: bool = True
    """Whether `ralph spec run` verifies chunks with these steps."""
    steps: list[VerificationStep] = []
    """What `ralph spec run` starts after each commit, in order, up to the first required step that fails."""


# These keys are written in snake case, unlike all others.
class RalphSection(Struct, frozen=True, forbid_unknown_fields=True):
    enabled: bool = True
    """Whether the stages of `ralph task run` and `ralph spec run` are loops. Otherwise each runs once."""
    default_max_iterations: Count = 10
    """The iterations of a role in `ralph task run` that names no limit of its own."""
    default_verification: Method = "string_match"
    """How `ralph task run` verifies a role that names no method of its own."""
    semantic_model: Text | None = None
    """The model that judges semantic criteria of `ralph task run` that name none: a name of `models`, an executor, or
    a model. Without it the agent of the role judges."""


class Role(Section, frozen=True):
    agent: Text | None = None
    """The agent or executor that plays this role in `ralph task run`. Without it the default executor does."""
    model: Text | None = None
    """The model of this role in `ralph task run`."""
    promise: Text = "STAGE_COMPLETE"
    """What the agent says to claim that its stage of `ralph task run` is complete."""
    max_iterations: Count | None = None
    """The iterations of this role in `ralph task run`. Without it `ralph.default_max_iterations` holds."""
    verification: Method | None = None
    """How `ralph task run` verifies the claim. Without it `ralph.default_verification` holds."""
    verification_config: dict[str, Any] = {}
    """What the method needs, such as the command of `external`, where a task of `ralph task run` says nothing."""
    instructions: str = ""
    """What the agent of this role is told to do in `ralph task run`, before the task itself."""


class Model(Section, frozen=True):
    agent: Text
    """The agent or executor that `ralph task run` asks for this model."""
    model: Text | None = None
    """What that agent of `ralph task run` calls the model."""


class WorktreeSettings(Section, frozen=True):
    copy: list[Text] = []
    """Files that git does not know and a task needs, such as `.env`: `ralph task run` copies them into the worktree.
    Patterns are relative to the project."""
    init: Text | None = None
    """A shell command that `ralph task run` starts in a new worktree, such as `npm ci`."""


class Review(Section, frozen=True):
    severity_floor: Literal["low", "medium", "high"] = "medium"
    """The least severe issue that still blocks a chunk of `ralph spec run` from its third iteration on."""


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
