"""`ralph config`: the settings, where they come from, and whether they are valid."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ralph.cli.here import here
from ralph.cli.lazy import GuardedGroup
from ralph.cli.saying import say
from ralph.cli.setup.config_values import get, set_, unset

if TYPE_CHECKING:
    from ralph.app.trusted import ShownChange
    from ralph.config.layers import Loaded

project_option = click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=here,
    help="The project's directory (default: the project of this directory).",
)


@click.group(cls=GuardedGroup)
def command() -> None:
    """Show, change, locate and check the settings.

    \b
    ralph config show --origin
    ralph config set defaults.executor codex
    """  # noqa: D301 - click reads the backspace characters


@command.command()
@click.option("--origin", is_flag=True, help="Print which layer sets each value.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@project_option
def show(origin: bool, as_json: bool, project: Path) -> None:
    """Print the settings that apply here, with secrets masked.

    \b
    ralph config show
    ralph config show --origin
    """  # noqa: D301 - click reads the backspace characters
    from ralph.cli.json_text import escaped
    from ralph.config.layers import load
    from ralph.config.redact import redacted
    from ralph.workbench.masking import masking

    loaded = load(project)
    settings, mask = redacted(loaded.merged), masking(loaded.settings, project)
    if as_json:
        click.echo(escaped(mask(_json(settings, loaded if origin else None))))
    else:
        for line in _lines(settings, loaded.origins if origin else {}):
            click.echo(escaped(mask(line)))


@command.command()
@project_option
def path(project: Path) -> None:
    """Print the paths of the settings files, the strongest last.

    \b
    ralph config path
    """  # noqa: D301 - click reads the backspace characters
    import os

    from ralph.config.files import settings_files

    for _, file in settings_files(project.absolute(), os.environ):
        say(f"{'exists ' if file.exists() else 'missing'}  {file}")


@command.command()
@project_option
def check(project: Path) -> None:
    """Check every settings file and variable.

    \b
    ralph config check
    """  # noqa: D301 - click reads the backspace characters
    import os

    from ralph.app.usable import load_usable
    from ralph.config.layers import survey
    from ralph.model.errors import RalphError
    from ralph.sandbox.choice import NONE, sandbox_of

    found: list[tuple[str, RalphError | None]] = [*survey(project, os.environ)]
    if not any(error for _, error in found):
        try:
            sandbox_of(load_usable(project).settings, NONE)
        except RalphError as error:
            found.append(("settings", error))
    for name, error in found:
        if error:
            say(f"ralph: {error}", err=True)
        else:
            say(f"ok  {name}")
    if not found:
        click.echo("ok  no settings files: every value is its default")
    if codes := [error.exit_code for _, error in found if error]:
        click.get_current_context().exit(min(codes))


@command.command()
@project_option
def accept(project: Path) -> None:
    """Accept the current settings and tasks that were changed during a run.

    \b
    ralph config accept
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.trusted import accept
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        _show_changes(accept(store, project.absolute()), "Accepted")


@command.command()
@project_option
def restore(project: Path) -> None:
    """Restore settings and tasks that were changed during a run.

    \b
    ralph config restore
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.trusted import restore
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        _show_changes(restore(store, project.absolute()), "Put back")


for each in (get, set_, unset):
    command.add_command(each)


def _show_changes(changes: "list[ShownChange]", word: str) -> None:
    for change in changes:
        say(f"{word}: {change.title}")
        for line in change.lines:
            say(f"  {line}")
    if not changes:
        click.echo("Nothing was changed during a run.")


def _json(settings: dict[str, Any], loaded: "Loaded | None") -> str:
    from msgspec import json

    shown = {"settings": settings, "origins": loaded.origins} if loaded else settings
    return json.format(json.encode(shown), indent=2).decode()


def _lines(data: dict[str, Any], origins: dict[str, str], above: tuple[str, ...] = ()) -> Iterator[str]:
    """The lines as YAML; a list of objects has one object per line."""
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
