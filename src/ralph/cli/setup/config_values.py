"""`ralph config get`, `set` and `unset`: one setting, in one layer."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.app.setup.configure import Written

F = TypeVar("F", bound=Callable[..., Any])
LAYERS = (
    click.option("--user", "layer", flag_value="user", help="In ~/.ralph/config.yaml, for all your projects."),
    click.option("--project", "layer", flag_value="project", help="In the project's config.yaml or settings.json."),
    click.option("--local", "layer", flag_value="local", help="In settings.local.json, which is not committed."),
    click.option("--spec", metavar="SPEC", help="In the overrides of a spec."),
)


def layer_options(command: F) -> F:
    for option in reversed(LAYERS):
        command = option(command)
    return command


@click.command("get")
@click.argument("key")
@layer_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON, also for text.")
def get(key: str, layer: Any, spec: str | None, as_json: bool) -> int:
    """Print the value of KEY that applies here, or the value in one layer, with secrets masked.

    The exit code is 1 if that layer does not set it.

    \b
    ralph config get maximumIterations
    ralph config get --user timeouts.agent
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.setup.configure import get_value

    _require_one(layer, spec)
    try:
        if spec is None:
            value = get_value(here(), key, layer)
        else:
            from ralph.app.tasks.overrides import own_override
            from ralph.cli.stores import opened_store

            with opened_store() as store:
                value = own_override(store, here(), spec, key)
    except LookupError:
        click.echo(f"ralph: {key} is not set there.", err=True)
        return 1
    print_value(value, as_json=as_json)
    return 0


@click.command("set")
@click.argument("key")
@click.argument("values", metavar="VALUE...", nargs=-1, required=True)
@layer_options
def set_(key: str, values: tuple[str, ...], layer: Any, spec: str | None) -> None:
    """Set KEY to VALUE, in the project's settings unless you name a layer.

    ralph keeps the comments and the order of the file. A list takes one VALUE per entry, or one JSON list; objects are
    JSON. ralph writes nothing if the settings would no longer load.

    \b
    ralph config set defaults.executor codex
    ralph config set rules "Use pnpm, never npm or yarn" "TypeScript strict mode"
    ralph config set --user timeouts.agent 45m
    ralph config set agent.flags -- "--model opus"
    """  # noqa: D301 - click reads the backspace characters
    _require_one(layer, spec)
    if spec is None:
        from ralph.app.setup.configure import set_value

        told(set_value(here(), layer or "project", key, values), "Set")
        _tell_specs(key)
        return
    from ralph.app.tasks.overrides import set_override
    from ralph.cli.stores import opened_store

    with opened_store() as store:
        told(set_override(store, here(), spec, key, values, is_short=False), "Set")


@click.command("unset")
@click.argument("key")
@layer_options
def unset(key: str, layer: Any, spec: str | None) -> None:
    """Remove KEY from the project's settings, or from the layer that you name.

    \b
    ralph config unset budget.usd
    ralph config unset --user timeouts.agent
    """  # noqa: D301 - click reads the backspace characters
    _require_one(layer, spec)
    if spec is None:
        from ralph.app.setup.configure import unset_value

        written = unset_value(here(), layer or "project", key)
    else:
        from ralph.app.tasks.overrides import unset_override
        from ralph.cli.stores import opened_store

        with opened_store() as store:
            written = unset_override(store, here(), spec, key, is_short=False)
    if written is None:
        click.echo(f"{key} is not set there.")
        return
    told(written, "Unset")


def told(written: "Written", word: str) -> None:
    for note in written.notes:
        click.echo(f"ralph: {note}.", err=True)
    click.echo(f"{word} {written.key} in {written.where}.")


def print_value(value: Any, *, as_json: bool) -> None:
    """Print the value without secrets: text as it is, everything else as JSON. A terminal never obeys it."""
    import sys

    from msgspec import json

    from ralph.cli.json_text import escaped
    from ralph.model.words import visible

    mask = _mask(here())
    if isinstance(value, str) and not as_json:
        # click would take escape sequences out of a text that goes to a program.
        given = mask(value)
        click.echo(visible(given) if sys.stdout.isatty() else given.encode(errors="surrogateescape"))
        return
    encoded = json.encode(value)
    text = (json.format(encoded, indent=2) if isinstance(value, dict) else encoded).decode()
    click.echo(escaped(mask(text)))


def _tell_specs(key: str) -> None:
    """Say which specs set the same: they take precedence over every file."""
    from ralph.app.tasks.overrides import can_be_overridden, specs_that_set
    from ralph.cli.stores import opened_store

    if not can_be_overridden(key):
        return
    with opened_store() as store:
        for name in specs_that_set(store, here(), key):
            click.echo(f"ralph: spec {name} sets {key}, too, and is stronger for its tasks.", err=True)


def _require_one(layer: str | None, spec: str | None) -> None:
    if layer is not None and spec is not None:
        raise click.UsageError("name one layer: --user, --project, --local or --spec.")


def _mask(project: Path) -> Callable[[str], str]:
    """Masks the secrets that are known here. Settings that cannot be loaded call nothing a secret."""
    from ralph.config.layers import load
    from ralph.config.schema import Settings
    from ralph.model.errors import ConfigError
    from ralph.workbench.masking import masking

    try:
        settings = load(project).settings
    except ConfigError:
        settings = Settings()
    return masking(settings, project)
