"""`ralph spec run`: the tasks of a spec, one after another or several at once."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ralph.cli.here import here
from ralph.cli.runs.options import run_options
from ralph.model.tasks import RunAs

if TYPE_CHECKING:
    from ralph.store.sql import Store


@click.command("run")
@click.argument("spec")
@click.option(
    "--workers",
    "--parallel",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many tasks run at once.",
)
@click.option(
    "--from", "start", metavar="TASK", help="Run this task and all after it, in the order of ralph spec show."
)
@click.option("--only", multiple=True, metavar="TASK", help="Run only this task; repeatable.")
@click.option("--skip", multiple=True, metavar="TASK", help="Skip this task; it counts as done for others; repeatable.")
@click.option("--pr", is_flag=True, help="Open a pull request after a successful run, like ralph spec pr.")
@click.option("--fresh", is_flag=True, help="Start again: move aside what earlier runs left in the worktrees.")
@run_options
def command(
    spec: str,
    workers: int,
    start: str | None,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    pr: bool,
    fresh: bool,
    run_as: RunAs | None,
    agent: str | None,
    sandbox: bool | None,
    base: str | None,
    dry_run: bool,
    **how: Any,
) -> int:
    """Run the open tasks of SPEC, in the order of their dependencies.

    A failed task stops only the tasks that depend on it. The results are commits on the branch ralph/SPEC. When every
    task is completed or skipped, ralph reviews the whole branch; the findings become a new task.

    \b
    ralph spec run shop
    ralph spec run shop --workers 3 --skip T-4
    ralph spec run shop --pr
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.tasks.choice import Choice
    from ralph.app.tasks.loops import How
    from ralph.app.tasks.run import plan_spec
    from ralph.cli.stores import opened_store
    from ralph.cli.tasks.runs import run_planned

    if pr and how["detach"]:
        raise click.UsageError(f"--pr does not work with --detach. After the run use: ralph spec pr {spec}.")
    project = here()
    wanted, choice = How(run_as, fresh, agent, base, sandbox), Choice(start, only, skip)
    with opened_store() as store:
        planned = asyncio.run(plan_spec(store, project, spec, wanted, workers=workers, choice=choice, pull_request=pr))
        if planned:
            return run_planned(store, project, planned, dry_run=dry_run, **how)
        click.echo(f"All tasks of {spec} are completed.")
        return _open_pull_request(store, project, spec, quiet=how["quiet"]) if pr and not dry_run else 0


def _open_pull_request(store: "Store", project: Path, spec: str, *, quiet: bool) -> int:
    from ralph.app.pull_requests.prepare import Wanted
    from ralph.cli.specs.pr import open_pull_request

    return open_pull_request(store, project, spec, Wanted(), quiet=quiet, silent=quiet)
