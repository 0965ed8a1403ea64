"""What the use-cases want to know about a recipe, with the answers that hold for most of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct
from sqlalchemy import Connection

from ralph.agents.registry import Agent, choose
from ralph.agents.run import Limits
from ralph.app.watch import Watcher
from ralph.config.schema import Settings
from ralph.kernel.actions import Recipe
from ralph.loop.equipment import Equipment
from ralph.loop.stop import Stop
from ralph.model.runs import Run
from ralph.model.verdicts import AnyVerdict
from ralph.store.journal import Journal

Table = dict[type[Any], Callable[..., Any]]


class Crew(Struct, frozen=True):
    """Who and what takes part in driving one run."""

    run: Run
    loop: Any
    merged: dict[str, Any]
    """The settings as they are stored with the run."""
    equipment: Equipment
    agent: Agent | None
    limits: Limits
    journal: Journal
    connection: Connection
    stop: Stop
    watcher: Watcher


class Kind(ABC):
    version: ClassVar[int]
    options: ClassVar[type[Any]]
    unit: ClassVar[str] = "iteration"
    stops_at_once: ClassVar[bool] = False
    """Whether the first signal ends what runs, instead of letting it finish."""

    @abstractmethod
    def generator(self, loop: Any) -> Recipe: ...

    def agent(self, settings: Settings, _loop: Any, /) -> Agent | None:
        return choose(settings)

    def limits(self, settings: Settings, _loop: Any, /) -> Limits:
        return Limits(settings.timeouts.agent, settings.timeouts.idle)

    def lock(self, _loop: Any) -> str:
        """Two loops of the same lock are refused."""
        return "lock"

    def environment(self, _loop: Any) -> Mapping[str, str]:
        """What the agent finds in its environment about this loop."""
        return {}

    def workdir(self, _loop: Any) -> Path | None:
        """Where its agent works, if that is not the project itself."""
        return None

    def limit(self, loop: Any) -> int | None:
        """After how many iterations it gives up."""
        return getattr(loop, "limit", None)

    def task(self, _loop: Any) -> str | None:
        return None

    def label(self, _loop: Any) -> str:
        """What it works on, for the screens, if the recipe's name does not say enough."""
        return ""

    def fruit(self, _loop: Any) -> str:
        """Where the work is when it is done, if that is not simply here."""
        return ""

    def actions(self, _crew: Crew) -> Table:
        """How to perform what only this recipe asks for."""
        return {}

    async def require(self, _crew: Crew) -> None:  # noqa: B027 - most need nothing
        """A ConfigError if it cannot be driven here."""

    def begun(self, _crew: Crew) -> None:  # noqa: B027 - most need nothing
        """It is about to be driven."""

    def ended(self, _crew: Crew, _verdict: AnyVerdict) -> None:  # noqa: B027 - most need nothing
        """It was driven to this end."""
