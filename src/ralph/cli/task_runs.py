"""Start what was planned for a task or a spec: here, in the background, or only on paper."""

import shlex
import sys

import click

from ralph.app.plan import Plan
from ralph.app.runs import start
from ralph.app.task_run import Planned
from ralph.cli.screen import make_screen
from ralph.kernel.recipes.spec import SpecRun
from ralph.kernel.recipes.task import TaskRun
from ralph.kernel.stage_text import method_words, stage_prompt
from ralph.model.verdicts import count, exit_code


def run_planned(
    planned: Planned, *, dry_run: bool, detach: bool, verbose: bool, quiet: bool, run_id: str | None
) -> int:
    plan = planned.plan
    if not quiet:
        for warning in planned.warnings:
            click.echo(f"ralph: {warning}", err=True)
    if dry_run:
        _show(plan)
        return 0
    if detach:
        return _detach(plan)
    return exit_code(start(plan, make_screen(plan.settings, verbose=verbose, quiet=quiet), run_id=run_id))


def _detach(plan: Plan) -> int:
    from ralph.app.detach import start_detached

    argv = [each for each in sys.argv[1:] if each != "--detach"]
    started = start_detached(argv, plan)
    click.echo(f"ralph run {started.run_id} goes on in the background (pid {started.pid}).")
    click.echo(f"  Watch it: ralph status --watch {started.run_id} · ralph logs -f {started.run_id}")
    click.echo(f"  Stop it: ralph cancel {started.run_id}")
    return 0


def _show(plan: Plan) -> None:
    loops = [each.loop for each in plan.loop.tasks] if isinstance(plan.loop, SpecRun) else [plan.loop]
    for loop in loops:
        _show_task(plan, loop)
    first: TaskRun = loops[0]
    click.echo(f"\nFirst prompt:\n{stage_prompt(first.task, first.stages[0], 1, ())}")


def _show_task(plan: Plan, loop: TaskRun) -> None:
    from ralph.app.kinds.stage import agent_of
    from ralph.config.redact import mask_text

    click.echo(f"{loop.task.id}: {loop.task.title}")
    for stage in loop.stages:
        agent = agent_of(plan.settings, stage.role)
        command = mask_text(shlex.join([*agent.command, *agent.flags]))
        click.echo(
            f"  {stage.role}: {command} · {stage.promise} · {method_words(stage.check)}"
            f" · up to {count(stage.limit, 'iteration')}"
        )
