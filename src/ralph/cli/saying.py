"""What a command prints for a person. Agents, files and stored reasons have a part in it, so nothing of it is raw."""

import click

from ralph.model.words import visible


def say(text: str = "", *, err: bool = False) -> None:
    """Print a text whose author can neither control the terminal nor hide anything with it."""
    click.echo(visible(text), err=err)
