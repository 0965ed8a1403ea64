"""Is a claim true? One of four methods says."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from ralph.checks.external import run_external
from ralph.checks.multi_stage import run_stages
from ralph.checks.semantic import Judge, check_semantic
from ralph.kernel.slugs import slug, unique_slugs
from ralph.model.events import Tokens
from ralph.model.evidence import Evidence
from ralph.model.verification import External, MultiStage, Part, Semantic, StringMatch, Verification

Simple = StringMatch | External | Semantic
AS_BEFORE = "as before, the files are unchanged"


class Verifier:
    """Verifies one claim. It remembers what its checks saw, and forgets it where the files have changed since."""

    def __init__(
        self,
        *,
        worktree: Path,
        said: str,
        env: Mapping[str, str],
        attempt: str,
        logs: Path,
        keep: int,
        secrets: Sequence[bytes] = (),
        judge: Judge,
        diff: Callable[[], Awaitable[str]],
        tree: Callable[[], Awaitable[str]],
    ) -> None:
        self._worktree = worktree
        self._said = said
        self._env = env
        self._attempt = attempt
        self._logs = logs
        self._keep = keep
        self._secrets = secrets
        self._judge = judge
        self._make_diff = diff
        self._tree = tree
        self._diff: str | None = None
        self._seen: dict[tuple[Simple, str], Evidence] = {}

    async def verify(self, check: Verification) -> Evidence:
        began = time.monotonic()
        self._logs.mkdir(parents=True, exist_ok=True)
        seen = await (self._stages(check) if isinstance(check, MultiStage) else self._simple(check))
        return replace(seen, duration=time.monotonic() - began)

    async def _stages(self, check: MultiStage) -> Evidence:
        names = [stage.name for stage in check.stages]
        slugs = dict(zip(names, unique_slugs(names), strict=True))

        async def run(stage: Part, files: str) -> Evidence:
            before = self._seen.get((stage.check, files))
            if before:
                reason = f"{before.reason} ({AS_BEFORE})"
                return replace(before, reason=reason, duration=0.0, cost_usd=None, tokens=Tokens())
            seen = await self._simple(stage.check, slugs[stage.name])
            if seen.problem is None:
                self._seen[stage.check, files] = seen
            return seen

        return await run_stages(check, run, self._tree)

    async def _simple(self, check: Simple, name: str = "") -> Evidence:
        match check:
            case StringMatch():
                return Evidence("string_match", passed=True, reason="the promise was given, and it is enough")
            case External():
                return await self._external(check, name or slug(check.command))
            case Semantic():
                diff = await self._diff_once()
                return await check_semantic(check, said=self._said, diff=diff, judge=self._judge)

    async def _external(self, check: External, name: str) -> Evidence:
        return await run_external(
            check,
            worktree=self._worktree,
            env=self._env,
            # Each has its own: what it leaves behind is ended, and nothing of its neighbours.
            attempt=f"{self._attempt}.{name}",
            log=self._logs / f"{name}.log",
            keep=self._keep,
            secrets=self._secrets,
        )

    async def _diff_once(self) -> str:
        if self._diff is None:
            self._diff = await self._make_diff()
        return self._diff
