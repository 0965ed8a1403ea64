"""`ralph review export`: what reviews found, as a file."""

from pathlib import Path

import click

from ralph.cli.choices import Choice
from ralph.cli.here import here


@click.command("export")
@click.argument("subject", required=False, metavar="[RUN|TASK|SPEC]")
@click.option(
    "--format",
    "wanted",
    type=Choice(["sarif", "json"]),
    default="sarif",
    help="SARIF 2.1.0 with the latest decision of each tier, or JSON with every review (default: sarif).",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file.  [default: standard output]")
def command(subject: str | None, wanted: str, output: Path | None) -> None:
    """Export the findings of the reviews of a run, a task or a spec (default: of the latest run with reviews).

    \b
    ralph review export -o findings.sarif
    ralph review export TASK-001 --format json
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.reviews.views import named_reviews, standing
    from ralph.cli.json_text import json_text
    from ralph.cli.stores import opened_store
    from ralph.model.errors import ConfigError

    with opened_store() as store:
        reviews = named_reviews(store, here(), subject)
    if wanted == "sarif":
        from ralph.app.reviews.sarif import sarif

        text = json_text(sarif(standing(reviews)))
    else:
        text = json_text({"reviews": reviews})
    if output is None:
        click.echo(text)
        return
    try:
        output.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write {output}: {error.strerror}.", "Name another file.") from error
