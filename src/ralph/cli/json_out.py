"""Output of `--json`: a typed view, in UTF-8 whatever the terminal can show."""

from typing import Any

import click
import msgspec


def print_json(value: Any) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))
