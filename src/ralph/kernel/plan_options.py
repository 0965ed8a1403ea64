"""The options of a run that plans stories or a spec, and the questions and answers so far."""

from typing import Literal

from msgspec import Struct

from ralph.kernel.chunk_draft import PresentTask
from ralph.kernel.completion import RoleDefaults
from ralph.kernel.story_options import FOLDER


class Exchange(Struct, frozen=True, rename="camel", omit_defaults=True):
    question: str
    answer: str
    by_default: bool = False
    """Whether nobody was asked and this is the planner's recommendation."""


class StoryPlanRun(Struct, frozen=True, omit_defaults=True):
    said: str
    """What the user wants to build, with the answers that were given along with it."""
    prd: str
    """The text of prd.md; empty if it must be written."""
    template: str
    """The template of prd.md: its sections, and what belongs in each."""
    rules: str
    """The rules by which stories are derived."""
    project: str
    branch: str = ""
    """The branch of the plan; empty if the planner names it."""
    commands: tuple[str, ...] = ()
    """The verify commands that the plan already has. They stay."""
    may_change: tuple[str, ...] = ()
    detected: tuple[str, ...] = ()
    """The test and lint commands that the project seems to have."""
    folder: str = FOLDER
    model: str = ""
    by: str = ""
    """The agent that plans; empty means the one of the model's vendor, and otherwise the run's agent."""
    earlier: tuple[Exchange, ...] = ()
    """The questions and answers of an earlier planning run that this one replaces."""


Aim = Literal["new", "refine", "plan", "tasks"]
"""The aim: a spec and its chunks from an intent; a better text of a spec; the chunks of a spec; tasks with criteria per
role."""


class SpecPlanRun(Struct, frozen=True, omit_defaults=True):
    aim: Aim
    spec: str
    title: str
    said: str = ""
    """What to build, or what to change, with the answers that were given along with it."""
    text: str = ""
    """The text of the spec; empty if it must be written."""
    guide: str = ""
    """The guide that says what a good task is, for tasks with criteria per role."""
    rules: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    """The commands that verify every task."""
    present: tuple[PresentTask, ...] = ()
    roles: dict[str, RoleDefaults] = {}
    prefix: str = ""
    """The project's folder in its repository; empty if the project is the whole repository."""
    model: str = ""
    by: str = ""
    """The agent that plans; empty means the one of the model's vendor, and otherwise the run's agent."""
    earlier: tuple[Exchange, ...] = ()
    """The questions and answers of an earlier planning run that this one replaces."""
