"""`ralph show`: one run or task, its iterations, and what each check saw."""

from typing import TYPE_CHECKING

import click

from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.model.runs import Run
    from ralph.store.sql import Store


@click.command("show")
@click.argument("name", required=False, metavar="[RUN|TASK]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every action and its result.")
@click.option("--diff", metavar="A..B", help="Compare two attempts at a chunk by their numbers; 0 is the base.")
@click.option("--verify-journal", is_flag=True, help="Check that its journal was not changed afterwards.")
def command(name: str | None, as_json: bool, diff: str | None, verify_journal: bool) -> None:
    """Show RUN (its id, or the beginning of it), all runs of TASK, or the latest run of this project.

    \b
    ralph show
    ralph show T-3 --json
    ralph show T-3 --diff 1..3
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.shown import shown_runs
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        if diff is not None:
            _print_diff(_diff(store, name, diff))
            return
        found = shown_runs(store, name, here())
        if verify_journal:
            for run in found:
                click.echo(_verified(store, run, as_json=as_json))
        elif as_json:
            click.echo(_as_json(store, found))
        else:
            click.echo("\n\n".join(_as_text(store, run) for run in found))


def _diff(store: "Store", name: str | None, wanted: str) -> bytes:
    import asyncio

    from ralph.app.runs.attempt_diff import attempt_diff

    return asyncio.run(attempt_diff(store, here(), name, wanted))


def _print_diff(data: bytes) -> None:
    """Print what the agent wrote. A program gets a patch that it can apply, and a terminal a text that is harmless."""
    import sys

    from ralph.cli.saying import safe_text

    on_terminal = sys.stdout.isatty()
    click.echo(safe_text(data.decode(errors="backslashreplace")) if on_terminal else data, nl=False)


def _as_json(store: "Store", runs: "list[Run]") -> str:
    from ralph.app.runs.shown_view import shown_view
    from ralph.cli.json_text import json_text

    return json_text(shown_view(store, runs))


def _as_text(store: "Store", run: "Run") -> str:
    from ralph.app.runs.history import past_of, project_names
    from ralph.cli.display.fitting import fitted
    from ralph.cli.runs.text import run_text
    from ralph.cli.saying import safe_text
    from ralph.store.tasks import titles_of_tasks

    lines = run_text(past_of(store, run, bodies=False), project_names(store), titles_of_tasks(store, [run.project]))
    return fitted(safe_text("\n".join(lines)))


def _verified(store: "Store", run: "Run", *, as_json: bool) -> str:
    from ralph.app.runs.history import check_journals
    from ralph.cli.json_text import json_text
    from ralph.model.words import count

    whole = check_journals(store, run)
    if as_json:
        return json_text(whole)
    return f"The journal of run {run.id} is intact: {count(whole.rows, 'row')} of {count(whole.runs, 'run')}."
