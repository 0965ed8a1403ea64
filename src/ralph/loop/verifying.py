"""The verification worktree of a run: one tree at a time, which several checks may share."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from ralph.checks.command import run_command
from ralph.git.known_trees import known_tree, remember_tree
from ralph.git.repository import Repository
from ralph.git.verification import VerificationWorktree
from ralph.git.verification_place import InUse
from ralph.loop.context import Attempt
from ralph.model.errors import StateError
from ralph.model.evidence import Evidence
from ralph.model.git_rules import GitRules

KEPT = "verifier"
MOST = 100
RESUME = "Fix worktree.init, then: ralph resume"
_prepared: dict[tuple[Path, str | None, tuple[str, ...]], str] = {}
"""The digests of the worktrees that this process prepared: they need not be prepared again for the next run."""


class Verifier:
    def __init__(self, worktree: VerificationWorktree) -> None:
        self.worktree = worktree
        self._tree = ""
        self._users = 0
        self._turn = asyncio.Condition()

    @asynccontextmanager
    async def at(self, tree: str) -> AsyncGenerator[Path, None]:
        """The project's folder in a clean checkout of that tree. Another tree waits until nobody uses this one."""
        async with self._turn:
            await self._turn.wait_for(lambda: not self._users or self._tree == tree)
            if not self._users:
                await self.worktree.at(tree)
                self._tree = tree
            self._users += 1
        try:
            yield self.worktree.folder
        finally:
            async with self._turn:
                self._users -= 1
                if not self._users:
                    self.worktree.put_away()
                self._turn.notify_all()


async def verifier(attempt: Attempt, rules: GitRules | None) -> Verifier:
    """The verifier of this run: taken, and prepared like a task's own worktree, when it is first needed."""
    kept = attempt.run.kept
    if KEPT not in kept:
        kept[KEPT] = asyncio.ensure_future(_taken(attempt, rules))
        attempt.run.at_end.append(partial(_let_go, kept))
    try:
        return await asyncio.shield(kept[KEPT])
    except Exception:
        kept.pop(KEPT, None)
        raise


async def _let_go(kept: dict[str, Any]) -> None:
    """Release the worktree at the end of the run: another run may use it, with its preparation."""
    made: asyncio.Task[Verifier] | None = kept.pop(KEPT, None)
    if made is None:
        return
    made.cancel()
    with suppress(Exception, asyncio.CancelledError):
        (await made).worktree.close()


async def _taken(attempt: Attempt, rules: GitRules | None) -> Verifier:
    """The first worktree that nobody uses. Concurrent runs have one each; successive runs share one."""
    run = attempt.run
    settings = run.settings.worktree
    repository = attempt.repository(run.project)

    async def prepare(folder: Path) -> Evidence:
        bench = attempt.bench.at(folder).logging_to(attempt.log("verify-init"))
        return await run_command(bench, settings.init or "", limit=run.settings.timeouts.guardrail or None)

    for number in range(1, MOST + 1):
        worktree = await VerificationWorktree.open(repository, run.project, str(number), rules)
        try:
            await worktree.take()
        except InUse:
            continue
        key = (worktree.path, settings.init, tuple(settings.copy))
        known = _prepared.get(key)
        tree = (rules.prepares_on if rules else "") or "HEAD"
        # If the preparation left nothing, it need not be repeated.
        problem = (
            ""
            if known == ""
            else await worktree.set_up(settings.copy, settings.init or "", prepare, tree=tree, known=known or "")
        )
        if problem:
            worktree.close()
            raise StateError(f"the worktree for checks could not be prepared: {problem}.", RESUME)
        _prepared[key] = worktree.setup_digest
        return Verifier(worktree)
    raise StateError(f"{MOST} runs verify in this project at once.", "Wait for some of them, then: ralph resume")


async def trees_of(repository: Repository, *names: str) -> list[str]:
    """The trees of commits or trees."""
    if asked := [name for name in names if not known_tree(name)]:
        found = dict(zip(asked, await repository.resolve(*(f"{name}^{{tree}}" for name in asked)), strict=True))
        if missing := [name for name, tree in found.items() if not tree]:
            raise StateError(f"the commit or tree {missing[0]} is gone from the repository.", "Start the run again.")
        for name, tree in found.items():
            remember_tree(name, tree)
    else:
        found = {}
    return [found.get(name) or known_tree(name) for name in names]
