"""`ralph task run`: the stages of one task."""

from typing import Any

import click

from ralph.cli.here import here
from ralph.cli.runs.options import run_options
from ralph.model.tasks import RunAs


@click.command("run")
@click.argument("task")
@click.option("--again", is_flag=True, help="Run it even if the task is completed.")
@click.option("--fresh", is_flag=True, help="Start again: move aside what an earlier run left in the worktree.")
@run_options
def command(
    task: str,
    again: bool,
    fresh: bool,
    run_as: RunAs | None,
    agent: str | None,
    sandbox: bool | None,
    base: str | None,
    dry_run: bool,
    **how: Any,
) -> int:
    """Run TASK in its own worktree, until its work is verified.

    A task with criteria for a role goes through the stages of the pipeline (coder, reviewer, tester, qa). Any other
    task is a chunk: an agent works, ralph verifies and reviews the result, and discards and retries what does not ship.

    The result is one commit on the branch ralph/SPEC. Your own files and branches do not change.

    \b
    ralph task run TASK-001
    ralph task run TASK-001 --agent codex --detach
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.tasks.loops import How
    from ralph.app.tasks.run import plan_task
    from ralph.cli.stores import opened_store
    from ralph.cli.tasks.runs import run_planned

    project = here()
    with opened_store() as store:
        planned = asyncio.run(plan_task(store, project, task, How(run_as, fresh, agent, base, sandbox), again=again))
        return run_planned(store, project, planned, dry_run=dry_run, **how)
