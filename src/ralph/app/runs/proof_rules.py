"""The rules of the settings about who may change what judges the work."""

from ralph.config.schema import Settings
from ralph.kernel.actions.checks import Rules


def proof_rules(settings: Settings, may_change: tuple[str, ...] = ()) -> Rules:
    """The rules. `may_change` is what a task allows in addition to the settings."""
    return Rules(
        may_change=(*settings.may_change, *may_change),
        protected=tuple(settings.protected_paths),
        tamper=settings.tamper,
        budget=settings.proof.budget,
    )
