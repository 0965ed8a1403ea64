"""`ralph prd plan`: the planning of stories, with its questions."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.here import plan_folder, project_in

if TYPE_CHECKING:
    from ralph.app.planning.talk import Planning
    from ralph.app.stories.plan import ToPlan
    from ralph.cli.planning.person import Person
    from ralph.store.sql import Store

LOCK = "story-plan.lock"


@click.command("plan")
@click.argument("what", required=False)
@click.option("-d", "--project-dir", default=".", help="The project's directory.  [default: this one]")
@click.option(
    "--ralph-dir", default="ralph", help="The directory of the plan, relative to the project.  [default: ralph]"
)
@click.option("--agent", help="The agent that plans: a command, or the id of a tools.executors entry.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask: accept the agent's recommendations and drafts.")
@click.option(
    "--answers",
    metavar="FILE",
    help="A text with what to build and answers to expected questions. At a terminal the agent asks the rest; "
    "elsewhere its recommendations are used, as with --yes.",
)
@click.option("-V", "--verbose", is_flag=True, help="Also print prompts, commands and timings.")
@click.option("-q", "--quiet", is_flag=True, help="Print only the questions, and why it failed.")
def command(
    what: str | None,
    project_dir: str,
    ralph_dir: str,
    agent: str | None,
    yes: bool,
    answers: str | None,
    verbose: bool,
    quiet: bool,
) -> int:
    """Plan a feature with an agent: it asks questions, then writes ralph/prd.md, then the stories in tasks.json.

    WHAT says what to build; `-` reads it from standard input, and without it ralph asks. If prd.md has content, ralph
    keeps it and only derives the stories. You approve each file before ralph writes it. The agent reads a copy of the
    project and changes nothing. You can stop with Ctrl-C: the same command continues with your answers.

    \b
    ralph prd plan
    ralph prd plan "A search box for the list of orders"
    ralph prd plan --yes - < idea.md
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.stories.plan import PlanGiven, plan_to_plan
    from ralph.cli.display.screen import make_screen
    from ralph.cli.planning.driving import plan_with
    from ralph.cli.planning.person import person_for
    from ralph.cli.planning.said import said_with
    from ralph.cli.stores import opened_store
    from ralph.store.state_dir import StateDir

    project = project_in(project_dir)
    person = person_for("prd plan", yes=yes, has_answers=answers is not None)
    folder = plan_folder(project, ralph_dir)
    given = PlanGiven(folder, said_with(what, answers), agent)
    to_plan = asyncio.run(plan_to_plan(project, given))
    with StateDir(project).locked(LOCK), opened_store() as store:
        planning = _begin(store, project, to_plan, person)
        screen = make_screen(planning.plan.settings, verbose=verbose, quiet=quiet)
        code = plan_with(store, planning, person, screen)
    if code == 0:
        _show_end(project, folder, is_known=person.is_there, named=project_dir)
    return code


def _begin(store: "Store", project: Path, to_plan: "ToPlan", person: "Person") -> "Planning":
    from ralph.app.planning.talk import go_on_or_start
    from ralph.app.stories.plan import find_unfinished, said_by_nobody, told
    from ralph.cli.planning.driving import say_resumed
    from ralph.cli.planning.person import says_what

    plan, unfinished = to_plan.plan, find_unfinished(store, project, to_plan.plan)
    if unfinished is None and to_plan.must_be_told:
        plan = told(to_plan, says_what("Continue: ralph prd plan") if person.is_there else said_by_nobody(to_plan))
    planning = go_on_or_start(store, project, plan, unfinished)
    say_resumed(planning)
    return planning


def _show_end(project: Path, folder: str, *, is_known: bool, named: str) -> None:
    import shlex

    from ralph.app.stories.ground import plan_at
    from ralph.cli.prd.plan_text import plan_lines

    plan = plan_at(project, folder)
    for line in [] if is_known else plan_lines(plan):
        click.echo(line)
    where = "" if named == "." else f" -d {shlex.quote(named)}"
    where += "" if folder == "ralph" else f" --ralph-dir {shlex.quote(folder)}"
    click.echo(f"\nNext: ralph prd run{where}    (works on the branch {plan['branchName']})")
