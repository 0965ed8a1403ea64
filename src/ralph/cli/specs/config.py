"""`ralph spec config`: what a spec sets for its own tasks."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.here import here

if TYPE_CHECKING:
    from ralph.app.tasks.overrides import Override
    from ralph.store.sql import Store


@click.command("config")
@click.argument("spec")
@click.argument("key", required=False)
@click.argument("values", metavar="[VALUE...]", nargs=-1)
@click.option("--unset", is_flag=True, help="Remove the value, so that the project's setting applies.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(spec: str, key: str | None, values: tuple[str, ...], unset: bool, as_json: bool) -> None:
    """Show or change the settings of SPEC, which take precedence over those of the project.

    KEY is executor, reviewer (of each attempt), maxIterations, rules or verification. Without VALUE ralph prints KEY,
    without KEY all of them.

    \b
    ralph spec config auth executor codex
    ralph spec config auth verification.enabled false
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.overrides import override_of, overrides_of, set_override
    from ralph.cli.setup.config_values import print_value, told
    from ralph.cli.stores import opened_store

    project = here()
    if unset and (key is None or values):
        raise click.UsageError("--unset takes only KEY.")
    with opened_store() as store:
        if key is None:
            _show(overrides_of(store, project, spec), as_json=as_json)
        elif unset:
            _unset(store, project, spec, key)
        elif values:
            told(set_override(store, project, spec, key, values), "Set")
        else:
            print_value(override_of(store, project, spec, key), as_json=as_json)


def _unset(store: "Store", project: Path, spec: str, key: str) -> None:
    from ralph.app.tasks.overrides import unset_override
    from ralph.cli.setup.config_values import told

    written = unset_override(store, project, spec, key)
    if written is None:
        click.echo(f"spec {spec} does not set {key}.")
    else:
        told(written, "Unset")


def _show(found: "list[Override]", *, as_json: bool) -> None:
    from ralph.cli.json_out import print_json
    from ralph.cli.json_text import json_text

    if as_json:
        print_json({each.key: each.value for each in found if each.is_own})
        return
    for each in found:
        own = "  # set by the spec" if each.is_own else ""
        click.echo(f"{each.key}: {json_text(each.value, indent=-1)}{own}")
