"""Where the settings files are. A caller that only looks at them does not have to load the schema, as the layers do."""

from collections.abc import Mapping
from pathlib import Path

from ralph.config.home import ralph_home

PROJECT_FILES = (".ralph/config.yaml", ".ralph/settings.json", ".ralph/settings.local.json")


def settings_files(project: Path, environ: Mapping[str, str]) -> list[tuple[str, Path]]:
    """Each file's name in messages and its path, from the weakest to the strongest, whether or not it exists."""
    user = ralph_home(environ) / "config.yaml"
    name = str(user) if environ.get("RALPH_HOME") else "~/.ralph/config.yaml"
    return [(name, user), *((file, project / file) for file in PROJECT_FILES)]
