"""`ralph config`: the settings as they are, where they come from, and whether they are right."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ralph.config.layers import Loaded

project_option = click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The project's directory (default: the current one).",
)


@click.group()
def command() -> None:
    """Show, locate and check the settings."""


@command.command()
@click.option("--origin", is_flag=True, help="Say which layer set each value.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@project_option
def show(origin: bool, as_json: bool, project: Path) -> None:
    """Print the settings that hold here, with secrets masked."""
    from ralph.config.layers import load
    from ralph.config.redact import redacted

    loaded = load(project)
    settings = redacted(loaded.merged)
    if as_json:
        click.echo(_json(settings, loaded if origin else None))
    else:
        for line in _lines(settings, loaded.origins if origin else {}):
            click.echo(line)


@command.command()
@project_option
def path(project: Path) -> None:
    """Print where settings files lie, the strongest last."""
    import os

    from ralph.config.layers import settings_files

    for _, file in settings_files(project.absolute(), os.environ):
        click.echo(f"{'exists ' if file.exists() else 'missing'}  {file}")


@command.command()
@project_option
def check(project: Path) -> None:
    """Check every settings file and variable."""
    import os

    from ralph.config.layers import survey

    found = list(survey(project, os.environ))
    for name, error in found:
        if error:
            click.echo(f"ralph: {error}", err=True)
        else:
            click.echo(f"ok  {name}")
    if not found:
        click.echo("ok  no settings files: every value is its default")
    if any(error for _, error in found):
        click.get_current_context().exit(2)


def _json(settings: dict[str, Any], loaded: "Loaded | None") -> str:
    from msgspec import json

    shown = {"settings": settings, "origins": loaded.origins} if loaded else settings
    return json.format(json.encode(shown), indent=2).decode()


def _lines(data: dict[str, Any], origins: dict[str, str], above: tuple[str, ...] = ()) -> Iterator[str]:
    """Render as YAML, a list of objects with one object per line."""
    for key, value in data.items():
        here = (*above, key)
        origin = origins.get(".".join(here))
        note = f"  # {origin}" if origin else ""
        head = "  " * len(above) + (key if key.isidentifier() else _inline(key)) + ":"
        match value:
            case {**inner} if inner:
                yield head
                yield from _lines(inner, origins, here)
            case [{}, *_]:
                yield head + note
                yield from ("  " * len(here) + f"- {_inline(item)}" for item in value)
            case _:
                yield f"{head} {_inline(value)}{note}"


def _inline(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
