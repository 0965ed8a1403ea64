"""`ralph runs`: what ran, and why it stopped; `ralph runs gc` removes runs."""

from importlib import import_module
from typing import TYPE_CHECKING

import click

from ralph.cli.here import here
from ralph.cli.lazy import LazyGroup
from ralph.cli.saying import safe_text, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.cli.runs.naming import Titles
    from ralph.model.runs import Run

HANGING = 10
"""The indentation in columns: as long as the id of a run and what follows it."""
GC = {"gc": ("ralph.cli.runs.gc", "Remove ended runs from the database, and their files.")}


class RunsGroup(LazyGroup):
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        return import_module(self.table[cmd_name][0]).gc_command if cmd_name in self.table else None


@click.group("runs", cls=RunsGroup, table=GC, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.option("--all", "everywhere", is_flag=True, help="Include the runs of all projects.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many runs.")
@click.option(
    "--since", metavar="TIME", help="A summary since yesterday, a time such as 2026-02-05T22:00, or an age such as 12h."
)
@click.pass_context
def command(ctx: click.Context, as_json: bool, everywhere: bool, limit: int, since: str | None) -> None:
    """List the runs of this project, the newest first; the parts of a run follow it.

    With --since print one line per run that a person started: verdict, reason, cost, where the work is, what to do.

    \b
    ralph runs
    ralph runs --since yesterday --all
    """  # noqa: D301 - click reads the backspace characters
    if ctx.invoked_subcommand:
        _refuse_options(ctx)
        return
    from ralph.app.runs.history import project_names, runs
    from ralph.cli.display.fitting import fitted
    from ralph.cli.stores import opened_store
    from ralph.store.tasks import titles_of_tasks

    if since is not None:
        _summarise(since, everywhere=everywhere, limit=limit, as_json=as_json)
        return
    with opened_store() as store:
        found = runs(store, None if everywhere else here(), limit)
        names = project_names(store) if everywhere else {}
        titles = titles_of_tasks(store, (run.project for run in found))
    if as_json:
        from ralph.app.runs.views import run_view
        from ralph.cli.json_text import json_text

        click.echo(json_text([run_view(run) for run in found]))
    elif not found:
        click.echo('Nothing has run here yet. Start: ralph run -p "..."')
    else:
        click.echo(fitted("\n".join(_line(run, names, titles) for run in found), HANGING))


def _summarise(since: str, *, everywhere: bool, limit: int, as_json: bool) -> None:
    from ralph.app.runs.summary import summaries
    from ralph.cli.runs.summary_text import summary_lines
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        found = summaries(store, None if everywhere else here(), since, limit)
    if as_json:
        from ralph.app.runs.views import run_view
        from ralph.cli.json_text import json_text

        click.echo(json_text([run_view(each.run) for each in found]))
    else:
        say("\n".join(summary_lines(found)) if found else f"Nothing has run here since {since}.")


def _refuse_options(ctx: click.Context) -> None:
    from click.core import ParameterSource

    for option in ctx.command.params:
        if option.name and ctx.get_parameter_source(option.name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} belongs to the list, not to gc. See: ralph runs gc --help", ctx)


def _line(run: "Run", projects: "Mapping[str, str]", titles: "Titles") -> str:
    """The line of a run. `projects` are the names of the projects by their ids, if they must be shown."""
    from ralph.cli.display import words
    from ralph.cli.runs.naming import named, worked
    from ralph.model.words import spent

    facts = [
        named(run, titles),
        words.ago(run.started_at),
        *worked(run, run.iterations),
        *spent(run.cost_usd, run.tokens.total),
        *([projects.get(run.project, run.project)] if projects else []),
        *filter(None, [run.reason]),
    ]
    return safe_text(f"{run.id}  {words.state(run.status, run.verdict):<14} {' · '.join(facts)}")
