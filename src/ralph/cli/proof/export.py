"""`ralph proof export`: the record of a proof, as a file."""

from pathlib import Path

import click

from ralph.cli.here import here


@click.command("export")
@click.argument("subject", required=False, metavar="[TASK|COMMIT|RUN]")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file.  [default: standard output]")
def command(subject: str | None, output: Path | None) -> None:
    """Write the record of the proof of a task, a commit (default HEAD) or a run, unchanged.

    Others verify it with: ralph proof verify COMMIT --file FILE

    \b
    ralph proof export -o proof.intoto.jsonl
    ralph proof export TASK-001
    """  # noqa: D301 - click reads the backspace characters
    import asyncio

    from ralph.app.proof.records import shown_record
    from ralph.cli.stores import opened_store
    from ralph.model.errors import ConfigError

    with opened_store() as store:
        found = asyncio.run(shown_record(store, here(), subject))
    if output is None:
        click.echo(found.statements.data, nl=False)
        return
    try:
        output.write_bytes(found.statements.data)
    except OSError as error:
        raise ConfigError(f"cannot write {output}: {error.strerror}.", "Name another file.") from error
