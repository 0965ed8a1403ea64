"""What the loop must know about a recipe, with the answers that hold for most of them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from ralph.agents.registry import Agent, choose
from ralph.agents.run import TimeLimits
from ralph.config.schema import Settings
from ralph.kernel.actions.base import Recipe
from ralph.model.verdicts import AnyVerdict
from ralph.store.journal import Journal
from ralph.store.sql import Store
from ralph.workbench.bench import Workbench


class Facts(Protocol):
    """What a kind may know about a run that is being driven."""

    store: Store
    journal: Journal
    project_id: str
    project: Path
    run_id: str
    loop: Any
    bench: Workbench
    kept: dict[str, Any]


class Kind(ABC):
    options: ClassVar[type[Any]]
    unit: ClassVar[str] = "iteration"
    stops_at_once: ClassVar[bool] = False
    """Whether the first signal ends what runs, instead of letting it finish."""
    has_state_files: ClassVar[bool] = False
    """Whether prompt, answer and verification of each iteration are also kept as files."""

    is_meant_unnamed: ClassVar[bool] = True
    """Whether `ralph resume` without a run may choose it: a person started it, and waits for its end."""

    asks_people: ClassVar[bool] = False
    """Whether it waits for answers, for which a face asks between two drives."""
    asked_by: ClassVar[str] = "ralph resume {run}"
    """The command that asks a person what the run needs to know."""

    home_unit: ClassVar[str] = "iteration"
    """The name of the folders in its home, followed by a number."""

    asks_agents: ClassVar[bool] = True
    """Whether agents or models work in it, so that it may have to wait for a quota."""
    sandbox: ClassVar[str] = "auto"
    """The sandbox if the settings name none."""
    has_hooks: ClassVar[bool] = False
    """Whether its agents get ralph's hooks, whatever the settings say about a sandbox."""

    @abstractmethod
    def generator(self, loop: Any) -> Recipe: ...

    def has_checks(self, _loop: Any) -> bool:
        """Whether anything in it can fail again and again, so that it may be stalled."""
        return True

    def agent(self, settings: Settings, _loop: Any, /) -> Agent | None:
        return choose(settings)

    def limits(self, settings: Settings, _loop: Any, /) -> TimeLimits:
        return TimeLimits(settings.timeouts.agent, settings.timeouts.idle)

    def lock(self, _loop: Any) -> str:
        """The lock. A second loop with the same lock is refused; a loop without one is a part of another that has
        it.
        """
        return "lock"

    def home(self, _loop: Any) -> str:
        """The folder of its attempts below `.ralph/`, shared with other runs that work on the same thing; empty means a
        folder of the run's own.
        """
        return ""

    def environment(self, _context: Facts) -> Mapping[str, str]:
        """The variables that tell the agent about this loop."""
        return {}

    def limit(self, loop: Any) -> int | None:
        """After how many iterations it gives up."""
        return getattr(loop, "limit", None)

    def task(self, _loop: Any) -> str | None:
        return None

    def tasks(self, loop: Any) -> Sequence[str]:
        """All tasks of the project that it works on."""
        own = self.task(loop)
        return [own] if own else []

    def label(self, _loop: Any) -> str:
        """What it works on, for the screens, if the recipe's name does not say enough."""
        return ""

    def delivered_to(self, _loop: Any) -> str:
        """Where the finished work is, if that is not simply here."""
        return ""

    async def require(self, _context: Facts) -> None:  # noqa: B027 - most need nothing
        """Raise a ConfigError if the run cannot be driven here."""

    def begun(self, _context: Facts) -> None:  # noqa: B027 - most need nothing
        """Called before the run is driven."""

    async def left(self, _context: Facts) -> str:
        """Do the last steps after the run, whatever its end, and return what to say about them."""
        return ""

    def ended(self, _context: Facts, _verdict: AnyVerdict) -> None:  # noqa: B027 - most need nothing
        """Called when the run was driven to this end."""
