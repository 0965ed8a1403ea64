"""`ralph status`: what runs now, and what ran last."""

import click

from ralph.cli.here import here


@click.command("status")
@click.argument("run", metavar="[RUN|TASK]", required=False)
@click.option("--tree", is_flag=True, help="Draw child runs below their parents.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list; with --watch one such line per change.")
@click.option("--watch", is_flag=True, help="Keep watching until nothing runs. Ctrl-C does not stop the runs.")
@click.option("--all", "everywhere", is_flag=True, help="Include the runs of all projects.")
def command(run: str | None, tree: bool, as_json: bool, watch: bool, everywhere: bool) -> None:
    """Show what runs in this project and what it is doing, and what ran last; or RUN, or the latest run of TASK, and
    the runs that it started.

    \b
    ralph status
    ralph status --watch
    ralph status TASK-001 --tree
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.history import project_names
    from ralph.app.runs.named import named_run
    from ralph.app.runs.telling import told
    from ralph.app.runs.tree import forest
    from ralph.cli.runs.status_text import StatusText
    from ralph.cli.runs.status_watch import nodes_json, watch_runs
    from ralph.cli.runs.watch_text import WatchText
    from ralph.cli.stores import opened_store

    project = None if everywhere else here()
    with opened_store() as store:
        top = named_run(store, here(), run).id if run else None
        text = StatusText(project_names(store), here=project, tree=tree or run is not None)
        if watch:
            on_terminal = WatchText(project_names(store), here=project)
            watch_runs(store, lambda: forest(store, project, top), text, on_terminal, as_json=as_json)
        elif as_json:
            click.echo(nodes_json(forest(store, project, top)))
        else:
            click.echo("\n".join(text.lines(told(store, forest(store, project, top)))))
