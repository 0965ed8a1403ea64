"""Defaults, files, the spec, the environment and flags, merged; and which of them set each value."""

import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from ralph.config.check import checked
from ralph.config.files import settings_files
from ralph.config.merge import is_object, leaves, merge, nested
from ralph.config.read import parse_settings, read_settings
from ralph.config.schema import Settings
from ralph.config.variables import setting_variables
from ralph.config.wording import snake
from ralph.model.errors import ConfigError

DEFAULT = "default"
FLAGS = {"agent.command": "agent", "defaults.executor": "agent"}
"""The flags whose name differs from their key."""


class Layer(Struct, frozen=True):
    name: str
    data: dict[str, Any]
    """What this layer sets, by the keys of the files."""


class Loaded(Struct, frozen=True):
    settings: Settings
    layers: list[Layer]
    """What was merged, from the weakest to the strongest."""
    files: list[Path]
    """The files that were read, from the weakest to the strongest."""
    merged: dict[str, Any]
    """All settings as plain data, by the keys of the files."""

    @property
    def origins(self) -> dict[str, str]:
        """The layer behind each value, by the value's dotted key. A list is one value.

        Computed when it is asked for: only `config show` needs it.
        """
        return {".".join(path): _origin(path, self.layers) for path, _ in leaves(self.merged)}


def load(
    project: Path,
    flags: dict[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    spec: dict[str, Any] | None = None,
    instead: Mapping[Path, bytes] | None = None,
) -> Loaded:
    """The loaded settings. `instead` is the future content of some files, before it is written."""
    environ = os.environ if environ is None else environ
    files: list[Path] = []
    layers: list[Layer] = []
    for name, path in settings_files(project, environ):
        fresh = (instead or {}).get(path)
        if (data := read_settings(path, name) if fresh is None else parse_settings(fresh, name)) is not None:
            files.append(path)
            layers.append(Layer(name, data))
    layers.append(Layer("spec", spec or {}))
    layers += [Layer(name, _variable(name, environ)) for name in setting_variables(environ)]
    layers += _flags(flags or {})
    settings = _combined(layers)
    merged = to_builtins(settings)
    return Loaded(settings, layers, files, merged)


def survey(project: Path, environ: Mapping[str, str]) -> Iterator[tuple[str, ConfigError | None]]:
    """Each file and variable that exists, with what is wrong with it."""
    sources = [(name, partial(read_settings, path, name)) for name, path in settings_files(project, environ)]
    sources += [(name, partial(_variable, name, environ)) for name in setting_variables(environ)]
    for name, read in sources:
        try:
            data = read()
            if data is None:
                continue
            checked(data, name)
        except ConfigError as error:
            yield name, error
        else:
            yield name, None


def _combined(layers: list[Layer]) -> Settings:
    data = to_builtins(Settings())
    for layer in layers:
        # Each layer is checked alone first, so that an error names it. The schema's defaults are added once, at the
        # end.
        checked(layer.data, layer.name)
        data = merge(data, layer.data)
    return checked(data, "settings")


def _variable(name: str, environ: Mapping[str, str]) -> dict[str, Any]:
    from ralph.config.environment import read_variable

    return read_variable(name, environ[name])


def _flags(flags: dict[str, Any]) -> list[Layer]:
    return [Layer(_flag(path, value), nested(path, value)) for path, value in leaves(flags)]


def _flag(path: tuple[str, ...], value: Any) -> str:
    """The flag's name: `flag --maximum-iterations`, or `flag --no-stream-agent-output` for a switch that was turned
    off.
    """
    name = FLAGS.get(".".join(path)) or snake("_".join(path)).replace("_", "-")
    return f"flag --no-{name}" if value is False else f"flag --{name}"


def _origin(path: tuple[str, ...], layers: list[Layer]) -> str:
    for layer in reversed(layers):
        value: Any = layer.data
        for key in path:
            if not is_object(value):
                # Everything that weaker layers had below this key was replaced.
                return DEFAULT
            if key not in value:
                break
            value = value[key]
        else:
            return layer.name
    return DEFAULT
