"""What a spec sets for its own tasks: five keys, in a layer above the project's files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from ralph.agents.registry import require_agent
from ralph.app.setup.configure import SPEC, Written, found_in, is_in, shadows, still_set
from ralph.app.tasks.settings import load_for_spec
from ralph.app.tasks.specs import refuse_running
from ralph.app.usable import load_usable
from ralph.config.edit.file_text import UNSET, changed_data
from ralph.config.edit.words import read_key, read_words
from ralph.config.layers import Loaded
from ralph.config.redact import redacted
from ralph.kernel.task_rules import shown
from ralph.model.errors import ConfigError
from ralph.model.tasks import Spec
from ralph.store.projects import known_project
from ralph.store.sql import Sql, Store
from ralph.store.tasks import change, change_spec_config, get_spec, specs_of, tasks_of

DEFAULTS = "defaults"
OVERRIDES = {
    "executor": (DEFAULTS, "executor"),
    "reviewer": (DEFAULTS, "quickReviewer"),
    "maxIterations": (DEFAULTS, "maxIterations"),
    "rules": ("rules",),
    "verification": ("verification",),
}
"""The keys of a spec by their short names."""


class Override(Struct, frozen=True, rename="camel"):
    key: str
    value: Any
    """The value for the tasks of the spec, with secrets masked."""
    is_own: bool
    """Whether the spec sets it, at least in part."""


def overrides_of(store: Store, project: Path, spec_id: str) -> list[Override]:
    spec = _spec(store, project, spec_id)
    merged = redacted(load_for_spec(project, spec).merged)
    return [Override(key, found_in(merged, path), is_own=is_in(spec.config, path)) for key, path in OVERRIDES.items()]


def override_of(store: Store, project: Path, spec_id: str, key: str) -> Any:
    """The value that applies to the tasks of the spec."""
    path = override_path(key)
    return found_in(redacted(load_for_spec(project, _spec(store, project, spec_id)).merged), path)


def own_override(store: Store, project: Path, spec_id: str, key: str) -> Any:
    """The value that the spec itself sets. It raises a LookupError if there is none."""
    path = override_path(key, is_short=False)
    return found_in(redacted(_spec(store, project, spec_id).config), path)


def set_override(
    store: Store, project: Path, spec_id: str, key: str, words: tuple[str, ...], *, is_short: bool = True
) -> Written:
    path = override_path(key, is_short=is_short)
    value = read_words(path, words)
    if path == OVERRIDES["executor"] and isinstance(value, str):
        require_agent(load_usable(project).settings, value)
    loaded = _change(store, project, spec_id, path, value)
    return Written(key, f"spec {spec_id}", shadows(loaded, path, value, SPEC))


def unset_override(store: Store, project: Path, spec_id: str, key: str, *, is_short: bool = True) -> Written | None:
    """Unset the override; None if the spec does not set it."""
    path = override_path(key, is_short=is_short)
    if not is_in(_spec(store, project, spec_id).config, path):
        return None
    return Written(key, f"spec {spec_id}", still_set(_change(store, project, spec_id, path, UNSET), path))


def specs_that_set(store: Store, project: Path, key: str) -> list[str]:
    """The specs that override this key of the project."""
    path = tuple(key.split("."))
    return [spec.id for spec in specs_of(store, known_project(store, project)) if is_in(spec.config, path)]


def can_be_overridden(key: str) -> bool:
    """Whether a spec may set this key of the settings."""
    path = tuple(key.split("."))
    return any(path[: len(own)] == own for own in OVERRIDES.values())


def override_path(key: str, *, is_short: bool = True) -> tuple[str, ...]:
    """The path of an override by its short name, or by its name in the settings; a key below `verification` counts,
    too.
    """
    first, _, rest = key.partition(".")
    if is_short and first in OVERRIDES:
        path = (*OVERRIDES[first], *filter(None, rest.split(".")))
    else:
        path = tuple(key.split("."))
    if not can_be_overridden(".".join(path)):
        known = OVERRIDES if is_short else (".".join(own) for own in OVERRIDES.values())
        raise ConfigError(f"a spec cannot set {shown(key)}.", f"It can set: {', '.join(known)}.")
    return read_key(".".join(path))


def check_overrides(config: Mapping[str, Any]) -> None:
    """Check that a file's overrides contain only what a spec may set."""
    for key, value in config.items():
        below = list(cast("Mapping[str, Any]", value)) if key == DEFAULTS and isinstance(value, Mapping) else []
        for name in [f"{key}.{each}" for each in below] or [key]:
            override_path(name, is_short=False)


def _change(store: Store, project: Path, spec_id: str, path: tuple[str, ...], value: Any) -> Loaded:
    name = known_project(store, project)
    found: list[Loaded] = []

    def changing() -> Sequence[Sql]:
        spec = get_spec(store, name, spec_id)
        refuse_running(store, name, [task.id for task in tasks_of(store, name, spec_id)])
        config = changed_data(spec.config, path, value)
        found[:] = [load_for_spec(project, replace(spec, config=config))]
        return [change_spec_config(name, spec_id, config)]

    change(store, name, changing)
    return found[0]


def _spec(store: Store, project: Path, spec_id: str) -> Spec:
    return get_spec(store, known_project(store, project), spec_id)
