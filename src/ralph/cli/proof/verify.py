"""`ralph proof verify`: check whether a record is true."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.app.proof.check import Claimed

DOES_NOT_FIT = 6


@click.command("verify")
@click.argument("subject", required=False, metavar="[TASK|COMMIT]")
@click.option("--file", type=click.Path(path_type=Path), help="Read the record from this file, not from the note.")
@click.option("--run-listed", is_flag=True, help="Also run commands in the record that are not in your settings.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-V", "--verbose", is_flag=True, help="Also print commands and timings.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
def command(subject: str | None, file: Path | None, run_listed: bool, as_json: bool, verbose: bool, quiet: bool) -> int:
    """Check the record of a proof, and run its checks again on a fresh checkout of the commit (default HEAD).

    A clone is enough: the record is a note on the commit, and ralph fetches a missing note from the remote. Your
    settings say which checks the record must contain. Exit code 0 if everything matches, 9 if a check fails now, 6 if
    something does not match: the commit, its tree, the evidence, a command or a result.

    \b
    ralph proof verify TASK-001
    ralph proof verify HEAD --file proof.intoto.jsonl
    """  # noqa: D301 - click reads the backspace characters
    import asyncio
    import os

    from ralph.app.proof.check import compared, plan_check, proof_view
    from ralph.app.runs.starting import stored
    from ralph.cli.display.screen import make_screen
    from ralph.cli.json_text import json_text
    from ralph.cli.runs.driving import PARENT, drive
    from ralph.cli.stores import opened_store
    from ralph.store.runs import get_run

    project = here()
    with opened_store() as store:
        claimed = asyncio.run(plan_check(store, project, subject, file))
        _require_consent(claimed, run_listed=run_listed)
        screen = make_screen(claimed.plan.settings, verbose=verbose, quiet=quiet or as_json)
        with stored(store, project, claimed.plan, os.environ.get(PARENT)) as run_id:
            code = drive(store, run_id, claimed.plan, screen, is_locked=True)
        found = [] if code else compared(store, project, run_id, claimed.fitting)
        code = DOES_NOT_FIT if found else code
        run = get_run(store, run_id)
    if as_json:
        verdict = "tampered" if found else run.verdict or run.status if run else ""
        click.echo(json_text(proof_view(run_id, claimed, code, verdict, found)))
    _tell(claimed, code, found, quiet=quiet or as_json)
    return code


def _require_consent(claimed: "Claimed", *, run_listed: bool) -> None:
    """Require the user's consent: others write a record, so its commands run on this machine only if the user says
    so.
    """
    import sys

    from ralph.model.errors import ConfigError

    unlisted = claimed.fitting.unlisted
    if not unlisted or run_listed:
        return
    click.echo("The record lists what your settings do not have:", err=True)
    for each in unlisted:
        click.echo(f"  {each!a}" if not each.isprintable() else f"  {each}", err=True)
    if sys.stdin.isatty() and click.confirm("Run it?", err=True):
        return
    raise ConfigError(
        "the record lists commands that your settings do not have, so nothing was run.",
        "If you trust them: --run-listed",
    )


def _tell(claimed: "Claimed", code: int, found: list[str], *, quiet: bool) -> None:
    record = claimed.fitting.record
    name = (record.subject.commit or record.subject.tree)[:12]
    if found:
        say(f"✗ the record of {name} is not true: {'; '.join(found)}", err=True)
    elif code:
        say(f"✗ the record of {name} could not be confirmed", err=True)
    elif not quiet:
        by = f", signed by {', '.join(claimed.fitting.signers)}" if claimed.fitting.signers else ""
        say(f"✓ the record of {name} is true{by}", err=True)
