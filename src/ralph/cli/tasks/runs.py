"""Starts what was planned for a task or a spec: here, in the background, or as a dry run."""

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from ralph.agents.registry import Agent
from ralph.app.state.definitions import keep_definitions
from ralph.app.tasks.run import Planned, mark_skipped
from ralph.cli.display.screen import make_screen
from ralph.cli.runs.away import start_away
from ralph.cli.runs.driving import start
from ralph.cli.saying import say
from ralph.cli.specs.pr import open_after_run
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.chunk_text import chunk_prompt
from ralph.kernel.recipes.spec import SpecRun
from ralph.kernel.recipes.task import TaskRun
from ralph.kernel.stage_text import method_words, stage_prompt
from ralph.loop.plan import Plan
from ralph.model.context import ChunkContext
from ralph.model.words import count
from ralph.store.sql import Store
from ralph.workbench.masking import masking


def run_planned(
    store: Store,
    project: Path,
    planned: Planned,
    *,
    dry_run: bool,
    detach: bool,
    verbose: bool,
    quiet: bool,
    timestamps: bool,
) -> int:
    plan = planned.plan
    screen = make_screen(plan.settings, verbose=verbose, quiet=quiet, timestamps=timestamps)
    for warning in planned.warnings:
        screen.note(warning)
    if dry_run:
        _show(plan, masking(plan.settings, project))
        return 0
    mark_skipped(store, project, planned.skipped)
    if problem := keep_definitions(store, project, plan.loop.spec):
        screen.note(problem)
    if detach:
        return start_away(store, project, plan)
    return start(store, project, plan, screen) or open_after_run(store, project, plan, quiet=quiet)


def _show(plan: Plan, mask: Callable[[str], str]) -> None:
    loops = [each.loop for each in plan.loop.tasks] if isinstance(plan.loop, SpecRun) else [plan.loop]
    for loop in loops:
        say(f"{loop.task.id}: {loop.task.title}")
        for line in _chunk_lines(plan, loop) if isinstance(loop, ChunkRun) else _stage_lines(plan, loop):
            say(f"  {mask(line)}")
    if loops:
        say(mask(f"\nFirst prompt:\n{_first_prompt(loops[0])}"))


def _stage_lines(plan: Plan, loop: TaskRun) -> Iterator[str]:
    from ralph.loop.kinds.stage import agent_of

    for stage in loop.stages:
        command = _command(agent_of(plan.settings, stage.role))
        limit = f"up to {count(stage.limit, 'iteration')}"
        yield f"{stage.role}: {command} · {stage.promise} · {method_words(stage.check)} · {limit}"


def _chunk_lines(plan: Plan, loop: ChunkRun) -> Iterator[str]:
    from ralph.loop.kinds.chunk import worker

    yield f"chunk: {_command(worker(plan.settings))} · up to {count(loop.limit, 'iteration')}"
    for part in loop.check.stages if loop.check else ():
        yield f"verification: {part.name}{'' if part.required else ' (optional)'}"
    yield from (f"{by.tier} review: {by.reviewer}" for by in (loop.quick, loop.deep) if by)
    yield from (f"approved by a person: {each.text}" for each in loop.people)


def _first_prompt(loop: TaskRun | ChunkRun) -> str:
    if isinstance(loop, ChunkRun):
        known = ChunkContext(relevant_files=loop.relevant_files, global_rules=loop.project_rules)
        return (
            f"{chunk_prompt(loop.task, known)}\n\n[ralph adds what it then knows of the codebase and of earlier tasks.]"
        )
    return stage_prompt(loop.task, loop.stages[0], 1, loop.stages[0].limit, ())


def _command(agent: Agent) -> str:
    from ralph.config.redact import mask_text

    return mask_text(shlex.join([*agent.command, *agent.flags]))
