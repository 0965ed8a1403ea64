"""What a command prints for a person. Agents, files and stored reasons have a part in it, so nothing of it is raw."""

import click

from ralph.cli.masked import masked
from ralph.model.words import visible


def say(text: str = "", *, err: bool = False) -> None:
    """Print a text whose author can neither control the terminal nor hide anything with it, and without secrets."""
    click.echo(safe_text(text), err=err)


def safe_text(text: str) -> str:
    """The text as it may be shown. A text that is cut or wrapped goes through this first: half a secret has no
    recognisable form.
    """
    return visible(masked(text)) if text else text
