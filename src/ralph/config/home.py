"""The folder of the user's own files. It is separate from the layers, so that reading the store need not load them."""

from collections.abc import Mapping
from pathlib import Path


def ralph_home(environ: Mapping[str, str]) -> Path:
    """The folder of the user's settings and the database: `RALPH_HOME`, or `~/.ralph`."""
    if chosen := environ.get("RALPH_HOME"):
        return Path(chosen).expanduser().absolute()
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / ".ralph"
