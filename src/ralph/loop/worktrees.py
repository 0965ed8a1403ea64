"""The actions of the task recipe around its stages: a worktree to work in, and what was done in it on a branch."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ralph.checks.command import run_command
from ralph.git.delivery import deliver
from ralph.git.furnish import furnish
from ralph.git.repository import Repository
from ralph.git.worktree import prepare, remove
from ralph.kernel.actions import Delivered, DeliverWork, FurnishWorktree, OpenWorktree, Worktree
from ralph.loop.equipment import Equipment
from ralph.model.evidence import Evidence

INIT = "init"
PREPARED = "ralph-prepared"
"""In the worktree's own part of the git directory: its init command has run."""


class Worktrees:
    def __init__(self, equipment: Equipment) -> None:
        self._with = equipment
        self.table: dict[type[Any], Callable[..., Any]] = {
            OpenWorktree: self._open,
            FurnishWorktree: self._furnish,
            DeliverWork: self._deliver,
        }

    async def _open(self, action: OpenWorktree, seq: int, attempt: int) -> Worktree:
        repository = self._repository(seq, attempt)
        # A killed attempt that was to begin anew may have begun: what it made is new enough.
        fresh = action.fresh and attempt == 1
        return await prepare(repository, project=self._with.project, spec=action.spec, task=action.task, fresh=fresh)

    async def _furnish(self, action: FurnishWorktree, seq: int, attempt: int) -> Evidence:
        folder = Path(action.worktree.folder)
        given = await furnish(folder, self._with.project, list(action.copy))
        words = [f"copied {', '.join(given.copied)}"] if given.copied else []
        words += [f"did not copy {', '.join(given.skipped)}, which lead elsewhere"] if given.skipped else []
        inside = self._repository(seq, attempt).at(folder)
        words += await _warnings(inside, given.copied)
        prepared = folder / await inside.git.ask("rev-parse", "--git-path", PREPARED)
        if not action.init or prepared.exists():
            return Evidence(INIT, passed=True, reason="; ".join(words) or "nothing to prepare")
        seen = await self._init(action.init, folder, seq, attempt)
        if seen.passed:
            prepared.touch()
        return replace(seen, reason="; ".join([*words, seen.reason]))

    async def _init(self, command: str, folder: Path, seq: int, attempt: int) -> Evidence:
        directory = self._with.state.attempt_dir(self._with.run.id, INIT)
        seen = await run_command(
            command,
            cwd=folder,
            env=self._with.check_env,
            attempt=self._with.mark(seq, attempt),
            log=directory / f"init{'' if attempt == 1 else f'.{attempt}'}.log",
            limit=self._with.settings.timeouts.guardrail or None,
            keep=self._with.settings.output_truncate_chars,
            secrets=self._with.secrets,
        )
        return replace(seen, log=self._with.state.relative(Path(seen.log)))

    async def _deliver(self, action: DeliverWork, seq: int, attempt: int) -> Delivered:
        repository = self._repository(seq, attempt)
        done = await deliver(repository, action.worktree, message=action.message)
        if done.problem:
            return done
        # The work is safe on its branch. A worktree that cannot be removed is only in the way.
        return replace(done, left=await remove(repository, action.worktree))

    def _repository(self, seq: int, attempt: int) -> Repository:
        return Repository(self._with.project, self._with.check_env, self._with.mark(seq, attempt))


async def _warnings(inside: Repository, copied: tuple[str, ...]) -> list[str]:
    """Ralph never commits what it copied. An agent that commits by itself would, unless git ignores it."""
    known = [name for name in copied if (await inside.git.run("check-ignore", "--quiet", "--", name)).code != 0]
    return [f"git does not ignore {', '.join(known)}: an agent could commit it"] if known else []
