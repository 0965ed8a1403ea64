"""A run: one execution of a recipe, and what lists and screens show of it."""

from typing import Literal

from msgspec import Struct

from ralph.model.events import Tokens

RunStatus = Literal["queued", "running", "waiting", "paused", "stopped", "interrupted", "ended"]
ALIVE: tuple[RunStatus, ...] = ("running", "waiting", "paused")
"""The statuses of a run that a process drives."""
LIVE: tuple[RunStatus, ...] = ("queued", *ALIVE)


class Now(Struct, frozen=True, rename="camel"):
    """What a run is doing at this moment."""

    doing: str
    iteration: int
    since: float
    until: float | None = None
    """When the wait ends, if the run is waiting."""


class Run(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    """The run's id; `<parent>.<name>` for a part of another run."""
    recipe: str
    project: str
    """The id of the project."""
    status: RunStatus
    is_part: bool = False
    """Whether the parent's recipe asked for this run. Otherwise an agent or a person started it."""
    task_id: str | None = None
    """The task that the run works on, if it works on one."""
    label: str = ""
    """What the run works on, if the recipe's name does not say enough."""
    unit: str = "iteration"
    """What the run counts."""
    limit: int | None = None
    """After how many iterations the run gives up."""
    agent: str = ""
    verdict: str | None = None
    reason: str = ""
    proof: str = ""
    """What a good verdict is based on: `checked` or `word`."""
    exit_code: int | None = None
    iterations: int = 0
    started_at: float
    ended_at: float | None = None
    active_at: float
    """When the journal last grew."""
    cost_usd: float | None = None
    """What the run and its parts cost, as far as that is known."""
    tokens: Tokens = Tokens()
    last_reason: str = ""
    """The complaint of the latest result that was not good."""
    now: Now | None = None
    owner: "Owner | None" = None

    @property
    def parent_id(self) -> str | None:
        return parent_of(self.id)

    @property
    def is_alive(self) -> bool:
        return self.status in ALIVE

    @property
    def is_live(self) -> bool:
        return self.status in LIVE


class Owner(Struct, frozen=True):
    """The process that drives a run. On the same machine, the kernel knows whether it is alive."""

    host: str
    boot: str
    pid_namespace: str
    pid: int
    since: float
    """When the process started, as the kernel counts time."""


def parent_of(run_id: str) -> str | None:
    return run_id.rpartition(".")[0] or None


def part_name(name: str) -> str:
    """A name in the form that an id can hold: a dot would begin the name of another part."""
    return name.replace(".", "~")


def name_of_part(run_id: str) -> str:
    return run_id.rpartition(".")[2].replace("~", ".")


def family(run_id: str) -> list[str]:
    """The run and all its ancestors, the nearest first."""
    found = [run_id]
    while parent := parent_of(found[-1]):
        found.append(parent)
    return found
