"""Masking of the secrets that this process knows, in a text for a person, a model or a file."""

import os
from collections.abc import Callable
from pathlib import Path

from ralph.config.known_secrets import known_secrets
from ralph.config.schema import Settings
from ralph.workbench.redact import mask_text, needles


def masking(settings: Settings, project: Path) -> Callable[[str], str]:
    """A function that masks the secrets of the environment and the settings, and tokens of a well-known shape."""
    return mask_text(needles(known_secrets(os.environ, settings, project)))
