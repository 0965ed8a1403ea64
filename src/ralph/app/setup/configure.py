"""Reading and changing one setting, in one layer. Nothing is written if the settings would not load any more."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from ralph.app.usable import refuse_unusable
from ralph.config.edit.file_text import UNSET, changed_file
from ralph.config.edit.words import read_key, read_words
from ralph.config.files import settings_files
from ralph.config.layers import Loaded, load
from ralph.config.merge import is_object, leaves, nested
from ralph.config.read import read_file, read_settings
from ralph.config.redact import redacted
from ralph.store.files import cannot_write, folder_lock, replace_file
from ralph.store.state_dir import NAME, StateDir

Layer = Literal["user", "project", "local"]
SPEC = "spec"
"""The layers' name for a spec's overrides."""


class Written(Struct, frozen=True):
    key: str
    where: str
    """The file, or the spec."""
    notes: tuple[str, ...] = ()
    """Which stronger layer sets the same, and what applies then."""


def get_value(project: Path, key: str, layer: Layer | None = None) -> Any:
    """The value that applies here, or that one layer sets; secrets are masked. A LookupError if that layer does not set
    it.
    """
    path = read_key(key)
    if layer is None:
        return found_in(redacted(load(project).merged), path)
    for name, file in reversed(_files(project, layer)):
        data = read_settings(file, name)
        if data is not None and is_in(data, path):
            return found_in(redacted(data), path)
    raise LookupError(key)


def set_value(project: Path, layer: Layer, key: str, words: tuple[str, ...]) -> Written:
    path = read_key(key)
    name, file = _target(project, layer, path)
    value = read_words(path, words)
    loaded = _write(project, name, file, path, value)
    return Written(key, name, shadows(loaded, path, value, name))


def unset_value(project: Path, layer: Layer, key: str) -> Written | None:
    """Unset the key; None if it is not set there. A key that no schema knows can be unset, if it is there."""
    path = tuple(key.split("."))
    name, file = _target(project, layer, path)
    if not is_in(read_settings(file, name) or {}, path):
        read_key(key)
        return None
    loaded = _write(project, name, file, path, UNSET)
    return Written(key, name, still_set(loaded, path))


def shadows(loaded: Loaded, path: tuple[str, ...], value: Any, own: str) -> tuple[str, ...]:
    """The parts of a value just set in the layer `own` that do not apply, and why."""
    told: list[str] = []
    origins = loaded.origins
    for leaf in _leaf_keys(path, value):
        origin = origins.get(leaf, own)
        if origin != own:
            told.append(f"{leaf} is {_shown(loaded, leaf)} all the same: {origin} sets it, too, and is stronger")
    return tuple(told)


def still_set(loaded: Loaded, path: tuple[str, ...]) -> tuple[str, ...]:
    """What applies after a key was unset, if another layer sets it."""
    name = ".".join(path)
    found = {key: origin for key, origin in loaded.origins.items() if key == name or key.startswith(f"{name}.")}
    return tuple(
        f"{key} is {_shown(loaded, key)} now, by {origin}" for key, origin in found.items() if origin != "default"
    )


def found_in(data: Any, path: tuple[str, ...]) -> Any:
    """The value at this path. It raises a LookupError if there is nothing."""
    for key in path:
        if not is_object(data):
            raise LookupError(key)
        data = data[key]
    return data


def is_in(data: Any, path: tuple[str, ...]) -> bool:
    try:
        found_in(data, path)
    except LookupError:
        return False
    return True


def _leaf_keys(path: tuple[str, ...], value: Any) -> list[str]:
    return [".".join(leaf) for leaf, _ in leaves(nested(path, value))]


def _shown(loaded: Loaded, key: str) -> str:
    import json

    return json.dumps(found_in(redacted(loaded.merged), tuple(key.split("."))), ensure_ascii=False)


def _write(project: Path, name: str, file: Path, path: tuple[str, ...], value: Any) -> Loaded:
    """Write the change, and return the settings with it."""
    # A change that would not load is refused before a folder is made for it.
    _tried(project, name, file, path, value)
    try:
        if file.parent == project / NAME:
            StateDir(project).create()
        else:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The folder may be a link, if the user keeps it elsewhere.
        with folder_lock(file.parent.resolve()):
            fresh, loaded = _tried(project, name, file, path, value)
            # If the file is a link, the link stays and its target is written.
            replace_file(file.resolve(), fresh)
    except OSError as error:
        raise cannot_write(file, error, "Make it writable.") from error
    return loaded


def _tried(project: Path, name: str, file: Path, path: tuple[str, ...], value: Any) -> tuple[bytes, Loaded]:
    fresh = changed_file(read_file(file, name), name, path, value)
    loaded = load(project, instead={file: fresh})
    refuse_unusable(loaded.settings)
    return fresh, loaded


def _target(project: Path, layer: Layer, path: tuple[str, ...]) -> tuple[str, Path]:
    """The file to change: among several the one that sets the key, or else an existing one, the strongest first."""
    files = _files(project, layer)[::-1]
    for name, file in files:
        if is_in(read_settings(file, name) or {}, path):
            return name, file
    return next(((name, file) for name, file in files if file.exists()), files[-1])


def _files(project: Path, layer: Layer, environ: Mapping[str, str] | None = None) -> list[tuple[str, Path]]:
    """The files with their names in messages, the strongest last."""
    user, *own = settings_files(project, os.environ if environ is None else environ)
    *shared, local = own
    return {"user": [user], "project": shared, "local": [local]}[layer]
