"""Planning a spec from the command line: one way for `spec new`, `spec refine`, `spec plan` and `task generate`."""

from pathlib import Path

import click

from ralph.app.planning.specs import ToPlan
from ralph.app.planning.talk import go_on_or_start
from ralph.app.state.definitions import keep_definitions
from ralph.app.tasks.listing import open_spec
from ralph.cli.display.screen import make_screen
from ralph.cli.planning.driving import plan_with, say_resumed
from ralph.cli.planning.person import Person
from ralph.cli.saying import say
from ralph.cli.tasks.listing import lines
from ralph.kernel.plan_options import SpecPlanRun
from ralph.store.sql import Store
from ralph.store.state_dir import StateDir


def plan_spec(store: Store, project: Path, to_plan: ToPlan, person: Person, *, verbose: bool, quiet: bool) -> int:
    """Drive the run to its end with this person, show the result, and return the exit code."""
    plan = to_plan.plan
    with StateDir(project).locked(plan.kind.lock(plan.loop)):
        planning = go_on_or_start(store, project, plan, to_plan.unfinished)
        say_resumed(planning)
        if not quiet:
            click.echo(f"ralph: {to_plan.planner} plans {plan.loop.spec}", err=True)
        screen = make_screen(planning.plan.settings, verbose=verbose, quiet=quiet)
        code = plan_with(store, planning, person, screen)
    if code == 0:
        show_end(store, project, planning.plan.loop)
    return code


def show_end(store: Store, project: Path, run: SpecPlanRun) -> None:
    """Show the tasks that the spec has now, and the next command. `chunks.json` is written with them."""
    spec, has_chunks = run.spec, run.aim != "refine"
    if has_chunks and (problem := keep_definitions(store, project, spec)):
        say(f"ralph: {problem}", err=True)
    found = open_spec(store, project, spec)
    say(f"\n{found.id}  {found.title}")
    for line in lines(found.tasks, with_spec=False):
        say(line)
    click.echo(f"\nNext: ralph spec {'run' if found.tasks and has_chunks else 'plan'} {spec}")
