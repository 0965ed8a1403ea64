"""A pull request, and what every code host can do with one."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import msgspec
from msgspec import Struct

from ralph.git.remotes import HostedRepository
from ralph.model.errors import StateError
from ralph.workbench.bench import Workbench

State = Literal["open", "closed", "merged"]
MOST_READ = 16_000_000
"""The most bytes of a program's output that are read."""
MOST_TOLD = 300
PATIENCE = 120.0
"""How many seconds one call of a program may take."""


class PullRequest(Struct, frozen=True, kw_only=True, rename="camel"):
    number: int
    url: str
    state: State
    is_draft: bool
    base: str
    """The branch that it is merged into."""
    head: str
    """The branch with the work."""
    commit: str
    """The commit of the work, as far as the host has seen it."""
    title: str = ""
    body: str = ""


class Draft(Struct, frozen=True, kw_only=True):
    """A pull request to open."""

    head: str
    base: str
    title: str
    body: str
    is_draft: bool


class Host(ABC):
    """The pull requests of one repository, through the program of its host."""

    program: ClassVar[str]
    called: ClassVar[str] = "pull request"
    sign: ClassVar[str] = "#"
    opens_from_forks: ClassVar[bool] = False
    """Whether a branch of a fork can be found again among those of all other forks."""
    quiet: ClassVar[Mapping[str, str]]
    """The variables that keep the program from asking and from using colours."""

    def __init__(self, bench: Workbench, repository: HostedRepository, fork: HostedRepository | None = None) -> None:
        self._bench = bench
        self.repository = repository
        self._fork = fork
        """The fork that has the branches; None if they are in the repository itself."""

    def named(self, number: int) -> str:
        return f"{self.called} {self.sign}{number}"

    @abstractmethod
    async def find(self, head: str) -> list[PullRequest]:
        """All pull requests of a branch of this repository, or of the fork, the newest first, without their bodies."""

    @abstractmethod
    async def view(self, number: int) -> PullRequest:
        """The pull request as the host has it now."""

    @abstractmethod
    async def create(self, draft: Draft) -> None: ...

    @abstractmethod
    async def update(self, number: int, *, body: str, base: str | None = None) -> None: ...

    @abstractmethod
    async def set_draft(self, number: int, *, is_draft: bool) -> None: ...

    @abstractmethod
    async def had_requested_changes(self, number: int) -> bool:
        """Whether a reviewer has ever asked for changes."""

    @abstractmethod
    def reopening(self, number: int) -> str:
        """The command with which a person reopens a closed one."""

    async def _run(self, *arguments: str, stdin: bytes | None = None) -> bytes:
        """The output of the program. A failure is an error with the program's own words."""
        printed = bytearray()

        def take(data: bytes) -> None:
            printed.extend(data[: MOST_READ - len(printed)])

        argv = [self.program, *arguments]
        done = await self._bench.run(argv, env=self.quiet, stdin=stdin, sink=take, limit=PATIENCE)
        if done.code != 0:
            said = " ".join((done.err or printed.decode(errors="replace")).split())[:MOST_TOLD]
            why = f"no answer within {PATIENCE:g} s" if done.timed_out else said or f"exit code {done.code}"
            raise StateError(
                f"{self.program} {' '.join(arguments[:2])} failed: {why.rstrip('.')}.",
                f"Check its login with {self.program} auth status, then run it again.",
            )
        return bytes(printed)

    async def _read(self, kind: type[Any], *arguments: str) -> Any:
        data = await self._run(*arguments)
        try:
            return msgspec.json.decode(data, type=kind)
        except msgspec.DecodeError as error:
            raise StateError(
                f"{self.program} {' '.join(arguments[:2])} printed something that ralph cannot read: {error}.",
                f"Update {self.program}, then run it again.",
            ) from None


def newest_first(found: Sequence[PullRequest]) -> list[PullRequest]:
    return sorted(found, key=lambda each: each.number, reverse=True)
