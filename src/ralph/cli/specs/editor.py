"""Editing a text in the user's own editor."""

import os

import click

from ralph.model.errors import ConfigError


def edited_text(text: str) -> str | None:
    """The text that the person saved; None if they left without saving."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        return click.edit(text, editor=editor, extension=".md")
    except (click.ClickException, ValueError):
        raise ConfigError(f"the editor {editor!r} failed.", "Set EDITOR to another. Nothing was saved.") from None
