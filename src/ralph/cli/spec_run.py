"""`ralph spec run`: the tasks of a spec, one after another."""

from pathlib import Path
from typing import Any

import click

from ralph.cli.run_options import given_flags, run_options


@click.command("run")
@click.argument("spec")
@click.option("--fresh", is_flag=True, help="Begin anew: set aside what earlier runs left in the worktrees.")
@run_options
def command(spec: str, fresh: bool, agent: str | None, dry_run: bool, **how: Any) -> int:
    """Run the tasks of SPEC that are not completed, in the order of their dependencies.

    A task that fails stops only those that depend on it. The results are commits on the branch ralph/SPEC.
    """
    from ralph.app.task_run import plan_spec
    from ralph.cli.task_runs import run_planned

    planned = plan_spec(Path.cwd(), spec, flags=given_flags(agent), fresh=fresh)
    if planned is None:
        click.echo(f"All tasks of {spec} are completed.")
        return 0
    return run_planned(planned, dry_run=dry_run, **how)
