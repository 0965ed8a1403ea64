"""`ralph doctor`: what this machine has."""

from typing import TYPE_CHECKING

import click

from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.app.setup.findings import Finding

MARKS = {
    "ok": ("✓", "ok", "green"),
    "note": ("·", "note", "bright_black"),
    "warning": ("!", "warn", "yellow"),
    "missing": ("✗", "missing", "red"),
}
"""The mark, the word for a terminal that cannot show it, and the colour."""


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print a list of {name, status, detail, hint}.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Check whether ralph can run here, and name what is missing.

    Exits with 0 if ralph can run in this directory, else with 2.

    \b
    ralph doctor
    ralph doctor --json
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.setup.doctor import blocking, examine

    findings = examine(here())
    if as_json:
        import json

        import msgspec

        from ralph.cli.json_text import escaped

        click.echo(escaped(json.dumps(msgspec.to_builtins(findings), indent=2, ensure_ascii=False)))
    else:
        _show(findings)
    ctx.exit(2 if blocking(findings) else 0)


def _show(findings: "list[Finding]") -> None:
    import os
    import sys

    from ralph.app.setup.doctor import blocking
    from ralph.model.words import visible

    plain = not _can_print("✓✗", sys.stdout.encoding)
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark, word, colour = MARKS[finding.status]
        sign = f"{word:7}" if plain else mark
        if not os.environ.get("NO_COLOR"):
            # click removes the colour if standard output is not a terminal.
            sign = click.style(sign, fg=colour)
        click.echo(f"{sign} {finding.name:{width}}  {visible(finding.detail)}")
        if finding.hint:
            click.echo(f"{'':{width + (8 if plain else 2)}}  {visible(finding.hint)}")
    absent = [finding.name for finding in blocking(findings)]
    click.echo(f"ralph cannot run here yet: see {', '.join(absent)}." if absent else "ralph can run here.")


def _can_print(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
