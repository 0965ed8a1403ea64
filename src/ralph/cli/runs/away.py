"""`--detach`: a run in the background, and how to follow it."""

import os
from pathlib import Path

import click

from ralph.cli.runs.driving import PARENT
from ralph.loop.plan import Plan
from ralph.store.sql import Store


def start_away(store: Store, project: Path, plan: Plan) -> int:
    """Drive it in the background, and say how to follow it."""
    from ralph.app.runs.detach import start_detached

    started = start_detached(store, project, plan, os.environ.get(PARENT))
    click.echo(f"ralph run {started.run_id} runs in the background (pid {started.pid}).")
    click.echo(f"  Watch it: ralph status --watch {started.run_id} · ralph logs -f {started.run_id}")
    click.echo(f"  Stop it: ralph cancel {started.run_id}")
    return 0
