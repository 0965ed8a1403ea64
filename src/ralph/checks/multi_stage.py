"""Verification in stages: in order, side by side where nothing speaks against it, each required or a warning only."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from ralph.checks.costs import with_costs
from ralph.model.evidence import Evidence
from ralph.model.verdicts import count
from ralph.model.verification import External, MultiStage, Part

AT_ONCE = 4

Group = list[Part]
Run = Callable[[Part, str], Awaitable[Evidence]]
"""Takes the stage, and the tree of files that it is to verify."""


async def run_stages(check: MultiStage, run: Run, tree: Callable[[], Awaitable[str]]) -> Evidence:
    """Stages that run side by side are all run to their end, also if one of them fails."""
    parts: list[Evidence] = []
    for group in _groups(check.stages):
        parts += await _side_by_side(group, run, await tree())
        if check.require_all and _failed(parts, required=True):
            break
    return with_costs(_summary(check, tuple(parts)), parts)


def _groups(stages: Sequence[Part]) -> list[Group]:
    groups: list[Group] = []
    for stage in stages:
        if groups and _fits(stage, groups[-1]):
            groups[-1].append(stage)
        else:
            groups.append([stage])
    return groups


def _fits(stage: Part, group: Group) -> bool:
    """The same check twice does not: the second one may be spared, once the result of the first is there."""
    return all(
        isinstance(each.check, External)
        and isinstance(stage.check, External)
        and each.check != stage.check
        and each.name not in stage.depends_on
        for each in group
    )


async def _side_by_side(group: Group, run: Run, files: str) -> list[Evidence]:
    room = asyncio.Semaphore(AT_ONCE)

    async def run_one(stage: Part) -> Evidence:
        async with room:
            seen = await run(stage, files)
        return replace(seen, check=stage.name, required=stage.required)

    # Exceptions are collected: no stage may be left running when another one cannot go on.
    results = await asyncio.gather(*map(run_one, group), return_exceptions=True)
    evidence: list[Evidence] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        evidence.append(result)
    return evidence


def _summary(check: MultiStage, parts: tuple[Evidence, ...]) -> Evidence:
    failed, warnings = _failed(parts, required=True), _failed(parts, required=False)
    return Evidence(
        "multi_stage",
        passed=not failed,
        reason=_words(check, failed, warnings),
        parts=parts,
        # Waiting for a quota helps only if nothing else has failed.
        problem=failed[0].problem if failed and all(part.problem for part in failed) else None,
    )


def _failed(parts: Sequence[Evidence], *, required: bool) -> list[Evidence]:
    return [part for part in parts if not part.passed and part.required is required]


def _words(check: MultiStage, failed: Sequence[Evidence], warnings: Sequence[Evidence]) -> str:
    if failed:
        words = f"{count(len(failed), 'verification stage')} failed: {_reasons(failed)}"
    elif warnings:
        words = "no required verification stage failed"
    else:
        words = f"all {count(len(check.stages), 'verification stage')} passed"
    return f"{words}; warning: {_reasons(warnings)}" if warnings else words


def _reasons(parts: Sequence[Evidence]) -> str:
    return "; ".join(f"{part.check}: {part.reason}" for part in parts)
