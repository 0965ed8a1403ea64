"""The secret values that a command must not print. It reads the settings files as they are, without the schema: a
command that only looks must start fast, and must hide secrets also while a file has a mistake.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ralph.config.files import settings_files
from ralph.config.merge import is_object
from ralph.config.read import parse_settings, read_file
from ralph.config.redact import may_have_secrets, secrets_in
from ralph.config.secrets import SHORTEST, secrets_of
from ralph.config.variables import setting_variables
from ralph.model.errors import ConfigError


def written_secrets(environ: Mapping[str, str], project: Path) -> list[str]:
    """The secrets of the environment and of every settings file, also those that a stronger file replaces."""
    layers = list(_layers(environ, project))
    named = [name for layer in layers for name in _named(layer)]
    places = (str(project), environ.get("HOME", ""), environ.get("USER", ""))
    found = secrets_of(environ, named, places)
    return found + [text for layer in layers for text in secrets_in(layer) if len(text) >= SHORTEST]


def _layers(environ: Mapping[str, str], project: Path) -> Iterator[dict[str, Any]]:
    for name, path in settings_files(project, environ):
        try:
            written = read_file(path, name) or b""
            if may_have_secrets(written.decode(errors="replace")):
                yield parse_settings(written, name)
        except ConfigError:
            # The command that needs the settings says what is wrong with them.
            continue
    for name in setting_variables(environ):
        from ralph.config.environment import read_variable

        try:
            yield read_variable(name, environ[name])
        except ConfigError:
            continue


def _named(layer: dict[str, Any]) -> list[str]:
    """The variables that this layer calls secret: `env.secrets`."""
    section = layer.get("env")
    names: Any = section.get("secrets") if is_object(section) else None
    return [str(each) for each in cast("list[Any]", names)] if isinstance(names, list) else []
