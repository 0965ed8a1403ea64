"""Reading a settings file: everything that is wrong with it becomes one line that names the file."""

import stat
from pathlib import Path
from typing import Any

from ralph.config.merge import is_object
from ralph.config.original import as_meant
from ralph.config.wording import quoted
from ralph.model.errors import ConfigError

LARGEST = 1024 * 1024
DEEPEST = 100
LONGEST_NUMBER = 20


def read_settings(path: Path, name: str) -> dict[str, Any] | None:
    """The object in the file, or None if there is no such file. Nothing in it is ever executed."""
    raw = read_file(path, name)
    return None if raw is None else parse_settings(raw, name)


def read_file(path: Path, name: str) -> bytes | None:
    """The content of the file, or None if there is no such file."""
    try:
        return _bounded(path, name)
    except FileNotFoundError:
        if path.is_symlink():
            raise ConfigError(f"{name} is a link to a file that does not exist.", "Fix or remove the link.") from None
        return None
    except OSError as error:
        raise ConfigError(f"{name} cannot be read: {error.strerror}.", "Fix it or remove it.") from None


def parse_settings(raw: bytes, name: str) -> dict[str, Any]:
    """The object in the content of a file with this name."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name} is not UTF-8: byte {error.start + 1} is wrong.", "Save it as UTF-8 text.") from None
    return as_meant(_parsed(text, name, "YAML" if name.endswith(".yaml") else "JSON"))


def _bounded(path: Path, name: str) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise ConfigError(f"{name} is not a regular file.", "Remove what is there.")
    if status.st_size > LARGEST:
        size = f"{status.st_size / LARGEST:.1f} MiB"
        raise ConfigError(f"{name} is {size} large; settings may have at most 1 MiB.", "Is it the right file?")
    with path.open("rb") as file:
        return file.read(LARGEST)


def _parsed(text: str, name: str, language: str) -> dict[str, Any]:
    try:
        data = parse_json(text) if language == "JSON" else _parse_yaml(text)
    except ValueError as error:
        raise ConfigError(f"{name} is not valid {language}: {error}.") from None
    if not is_object(data):
        found = "a list" if isinstance(data, list) else "a single value"
        raise ConfigError(f"{name} must hold one object with settings, not {found}.")
    return data


def parse_json(text: str) -> Any:
    """The parsed JSON, by the standard parser instead of msgspec's: it reports line and column, and duplicate keys."""
    import json

    try:
        return json.loads(text, object_pairs_hook=_without_twins, parse_int=_whole, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {quoted(key)} occurs twice")
        made[key] = value
    return made


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")


def _parse_yaml(text: str) -> Any:
    from ralph.config.yaml_text import parse_yaml

    data = parse_yaml(text, deepest=DEEPEST)
    return {} if data is None else data
