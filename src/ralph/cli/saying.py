"""What a command prints for a person. It may contain text from agents and files, so all of it is made safe first."""

import click

from ralph.cli.masked import masked
from ralph.model.words import visible


def say(text: str = "", *, err: bool = False) -> None:
    """Print a text without secrets, with every character spelled out that could control the terminal or hide text."""
    click.echo(safe_text(text), err=err)


def safe_text(text: str) -> str:
    """The text in a form that is safe to show. Call this before a text is cut or wrapped: half a secret is not
    recognised.
    """
    return visible(masked(text)) if text else text
