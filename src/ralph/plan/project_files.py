"""The files that say how a project is built, from a folder or from a git tree."""

from typing import Any, Protocol, cast


class ProjectFiles(Protocol):
    def has(self, *names: str) -> bool:
        """Whether there is a file of one of these names."""
        ...

    def has_ending(self, *endings: str) -> bool:
        """Whether the name of a file at the top has one of these endings."""
        ...

    def text(self, name: str) -> str:
        """The content of a file; empty if there is none."""
        ...


def read_json(files: ProjectFiles, name: str) -> dict[str, Any]:
    import json

    try:
        return _as_table(json.loads(files.text(name) or "{}"))
    except (ValueError, RecursionError):
        return {}


def read_toml(files: ProjectFiles, name: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(files.text(name))
    except (ValueError, RecursionError):
        return {}


def table(parent: dict[str, Any], key: str) -> dict[str, Any]:
    return _as_table(parent.get(key))


def _as_table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
