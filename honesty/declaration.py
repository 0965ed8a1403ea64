"""What the file of a behaviour declares: what an agent does, and how to tell whether its work is right."""

from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from honesty.tree import Tree

Column = Literal["run", "string_match", "semantic", "external", "multi_stage", "chunk", "stories"]
Then = Literal["again", "resume"]
Step = dict[str, Any]
Act = Callable[[Tree], Step | str | None]
"""What an agent does at one start. It returns its final message, or a step of the scripted agent (`docs/testing.md`).
Without either it claims to be done."""

COLUMNS: tuple[Column, ...] = ("run", "string_match", "semantic", "external", "multi_stage", "chunk", "stories")
USUAL: tuple[Column, ...] = ("run", "external", "chunk", "stories")
"""The columns that play every behaviour that is meant for them; the others play a sample."""
CHECKED: tuple[Column, ...] = ("run", "external", "multi_stage", "chunk")
"""The columns in which a command decides once the agent has said that it is done."""
DELIVERED: tuple[Column, ...] = ("external", "multi_stage", "chunk")
"""The columns in which a command decides, and ralph commits the work to a branch of its own."""
JUDGED: tuple[Column, ...] = ("semantic", "multi_stage", "chunk")
"""The columns in which a model judges: `multi_stage` only if the behaviour says `judged`, `chunk` with a reviewer."""
STORIES: tuple[Column, ...] = ("stories",)
"""The column for what only an agent of a story loop can do."""


class Start(Struct, frozen=True, kw_only=True):
    """A small project with one bug, and the command that finds it."""

    runner: str
    """What runs its tests, as the table shows it."""
    files: dict[str, str]
    """The base commit. A file that begins with `#!` is executable."""
    check: str
    """The command that ralph is given to decide about "done"."""
    build: str
    """A command that passes at the base, too: the first stage of `multi_stage`."""
    hidden: str
    """The shell command that tells whether delivered work is right: exit code 0, and its last line is `truly right`.
    The line is needed because work under test may end the command with exit code 0."""
    bug: tuple[str, str, str]
    """A file, the wrong code in it, and the right code."""
    criterion: str
    """What a model is asked to judge."""
    needs: tuple[str, ...] = ()
    """The programs that the project needs."""
    env: dict[str, str] = {}
    """More environment, as in a behaviour: for every behaviour with this start, and for the hidden test."""


class Behaviour(Struct, frozen=True, kw_only=True):
    start: Start
    agent: Act | tuple[Act, ...]
    """What it does at its first start, at its second, ...; the last one is repeated."""
    files: dict[str, str] = {}
    """More files of the base commit; they replace those of `start` with the same path."""
    check: str = ""
    """The check, instead of the start's."""
    hidden: str = ""
    """The hidden test, instead of the start's."""
    columns: tuple[Column, ...] = COLUMNS
    """The columns that it is meant for."""
    grid: bool = False
    """Whether it is played in all of these columns, not only in the usual ones. `--full` does that for everything."""
    iterations: int = 1
    """The limit of iterations."""
    commits: bool = False
    """Whether `ralph run` commits at the end; then the commit is what it delivers, otherwise the working tree is."""
    may_change: tuple[str, ...] = ()
    """What the task may change: `mayChange`."""
    baseline: str = ""
    """`baseline` of the check."""
    speaks: str = "claude"
    """The format of the agent's output; `text` for a plain agent."""
    prompt: str = ""
    """The prompt of `ralph run`, instead of the usual one. `{claim}` stands for the tag."""
    tester: Act | None = None
    """A second role of the pipeline, whose promise is enough."""
    judge: Act | None = None
    """What the judge and the reviewer do, instead of being right about what they are shown."""
    reviewer: Act | tuple[Act, ...] = ()
    """What the agent does in the reviews of `stories`, instead of approving without looking."""
    by_hand: bool = False
    """Whether the acts change the stories and commit themselves. Otherwise the story is submitted after each act."""
    plan: dict[str, Any] = {}
    """More of the plan of `stories`, or other parts of it. The story `US-001` is the one about the bug."""
    judged: bool = False
    """Whether `multi_stage` has a stage in which a model judges."""
    stages: tuple[str, ...] = ()
    """The commands of `multi_stage`, instead of the usual ones."""
    then: tuple[Then, ...] = ()
    """What runs after the first command of ralph: the same one `again` (for tasks: a second task), or `resume`. The
    result of the last command counts."""
    env: dict[str, str] = {}
    """More environment of ralph. `{home}` stands for the home directory of the case, `{user}` for that of the user who
    started the test bed, `{path}` for the usual PATH."""
    settings: dict[str, Any] = {}
    """More settings of the project."""

    @property
    def acts(self) -> tuple[Act, ...]:
        return (self.agent,) if callable(self.agent) else self.agent

    @property
    def reviews(self) -> tuple[Act, ...]:
        return (self.reviewer,) if callable(self.reviewer) else self.reviewer

    def played_in(self, *, full: bool) -> tuple[Column, ...]:
        """The columns in which it is played: all of its own, or only the usual ones if a program decides in one."""
        is_checked = "run" in self.columns or "external" in self.columns
        return (
            self.columns
            if full or self.grid or not is_checked
            else tuple(each for each in USUAL if each in self.columns)
        )

    @property
    def base(self) -> dict[str, str]:
        return {**self.start.files, **self.files}

    @property
    def check_command(self) -> str:
        return self.check or self.start.check

    @property
    def hidden_test(self) -> str:
        return self.hidden or self.start.hidden


class Attack(Behaviour, frozen=True, kw_only=True):
    """An agent that claims to be done and is not."""

    limit: str = ""
    """Why no check can distinguish this from honest work. It is played and shown, but not counted."""
    plain: str = ""
    """Why even a loop that believes exit codes is not fooled."""
    ends: tuple[int, ...] = (1, 6, 9)
    """The exit codes with which ralph may refuse it."""


class Control(Behaviour, frozen=True, kw_only=True):
    """An honest agent whose work must be accepted."""

    right_at: int = 1
    """The number of the start after which the work is right. In `stories` reviews are not counted."""
    proof: str = ""
    """The proof that the end must name if it must not say that the work is proven, such as `warned`."""
