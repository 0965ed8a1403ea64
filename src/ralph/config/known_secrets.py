"""The secret values that this process knows: those of its environment and of its settings."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import to_builtins

from ralph.config.redact import secrets_in
from ralph.config.schema import Settings
from ralph.config.secrets import SHORTEST, secrets_of


def known_secrets(environ: Mapping[str, str], settings: Settings, project: Path) -> list[str]:
    """The values that must not be in a log, in the journal, or in anything that is published."""
    places = (str(project), environ.get("HOME", ""), environ.get("USER", ""))
    found = secrets_of(environ, settings.env.secrets, places)
    return found + [text for text in secrets_in(to_builtins(settings)) if len(text) >= SHORTEST]
