"""`ralph task run`: the stages of one task."""

from pathlib import Path
from typing import Any

import click

from ralph.cli.run_options import given_flags, run_options


@click.command("run")
@click.argument("task")
@click.option("--again", is_flag=True, help="Also if the task is completed.")
@click.option("--fresh", is_flag=True, help="Begin anew: set aside what an earlier run left in the worktree.")
@run_options
def command(task: str, again: bool, fresh: bool, agent: str | None, dry_run: bool, **how: Any) -> int:
    """Run the stages of TASK (coder, reviewer, tester, qa) in a worktree of its own, until each is verified.

    The result is one commit on the branch ralph/SPEC. Your own files and branches are left alone.

    \b
    ralph task run TASK-001
    ralph task run TASK-001 --agent codex --detach
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.task_run import plan_task
    from ralph.cli.task_runs import run_planned

    planned = plan_task(Path.cwd(), task, flags=given_flags(agent), fresh=fresh, again=again)
    return run_planned(planned, dry_run=dry_run, **how)
