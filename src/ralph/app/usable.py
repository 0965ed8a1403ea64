"""Settings whose parts fit together: what `ralph config check` refuses, every run refuses, too."""

from pathlib import Path
from typing import Any

from ralph.agents.registry import find
from ralph.config.layers import Loaded, load
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError

BUILT_IN_REVIEWERS = ("quick", "deep", "final")
NOBODY = "none"
"""The name instead of a reviewer that turns a tier off."""


def load_usable(project: Path, **how: Any) -> Loaded:
    """The loaded settings, like `load` and with its arguments, if they are usable."""
    loaded = load(project, **how)
    refuse_unusable(loaded.settings)
    return loaded


def refuse_unusable(settings: Settings) -> None:
    """Refuse unusable settings, judged by the settings alone: programs and servers are not checked."""
    for executor in settings.tools.executors:
        try:
            find(settings, executor.id)
        except ConfigError as error:
            raise ConfigError(f"the executor {executor.id!r}: {error.message}", error.hint) from None
    _refuse_unknown_tools(settings)
    pipeline_of(settings)


def pipeline_of(settings: Settings) -> list[str]:
    """The roles that a task passes through, without those that are switched off."""
    for number, name in enumerate(settings.pipeline):
        if name not in settings.roles:
            known = ", ".join(settings.roles)
            raise ConfigError(f"pipeline names the role {name!r}, which is not in roles.", f"Known: {known}")
        if name in settings.pipeline[:number]:
            raise ConfigError(f"pipeline names the role {name!r} twice.", "Name each role once.")
    if not settings.pipeline:
        raise ConfigError("pipeline is empty.", 'Name at least one role: "pipeline": ["coder"]')
    names = [name for name in settings.pipeline if settings.roles[name].enabled]
    if not names:
        raise ConfigError("every role of the pipeline is switched off.", "Set roles.NAME.enabled of one to true.")
    return names


def _refuse_unknown_tools(settings: Settings) -> None:
    defaults = settings.defaults
    reviewers = [*(each.id for each in settings.tools.reviewers), *BUILT_IN_REVIEWERS, NOBODY]
    chosen = {
        "quickReviewer": defaults.quick_reviewer,
        "deepReviewer": defaults.deep_reviewer,
        "finalReviewer": defaults.final_reviewer,
    }
    for key, name in chosen.items():
        _require_known(key, name, reviewers, "reviewer")
    _require_known("planner", defaults.planner, [each.id for each in settings.tools.planners], "planner")


def _require_known(key: str, name: str | None, known: list[str], what: str) -> None:
    if name is not None and name not in known:
        listed = ", ".join(dict.fromkeys(known)) or "none"
        raise ConfigError(f"defaults.{key} names {name!r}, which is not a {what} of tools.{what}s.", f"Known: {listed}")
