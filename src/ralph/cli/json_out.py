"""Output of `--json`: a typed view, in UTF-8 whatever the terminal can show."""

from typing import Any

import click

from ralph.cli.json_text import json_text


def print_json(value: Any) -> None:
    click.echo(json_text(value).encode())
