"""`ralph proof show`: what was proven."""

from pathlib import Path

import click

from ralph.cli.here import here
from ralph.cli.saying import say


@click.command("show")
@click.argument("subject", required=False, metavar="[TASK|COMMIT|RUN]")
@click.option("--file", type=click.Path(path_type=Path), help="Read the record from this file.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole record as JSON.")
def command(subject: str | None, file: Path | None, as_json: bool) -> None:
    """Show the record of the proof of a task, a commit (default HEAD) or a run.

    It shows what was recorded: `ralph proof verify` checks whether it is true.

    \b
    ralph proof show
    ralph proof show TASK-001 --json
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.proof.records import shown_record
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        found = asyncio.run(shown_record(store, here(), subject, file))
    if as_json:
        from ralph.cli.json_text import json_text

        about = {"where": found.where, "signed": found.statements.is_signed, "verifiedAt": found.record.verified_at}
        click.echo(json_text({**about, "subject": found.record.subject, "proof": found.record.predicate}))
    else:
        from ralph.cli.proof.text import record_text

        say("\n".join(record_text(found)))
