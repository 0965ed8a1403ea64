"""Which sandbox the settings ask for."""

from ralph.config.schema import SandboxSettings, Settings
from ralph.model.errors import SandboxUnusable

NONE, AUTO = "none", "auto"


def sandbox_of(settings: Settings, default: str) -> str:
    """`none` or `auto`; a SandboxUnusable for anything else, because this version has no sandbox. `default` is what the
    recipe uses if the settings name none.
    """
    given = settings.sandbox
    options = given if isinstance(given, SandboxSettings) else SandboxSettings(given)
    asked = options.backend or default
    if asked not in (NONE, AUTO):
        raise SandboxUnusable(
            f'"sandbox": "{asked}" asks for a sandbox, and this version has none.',
            'Set "sandbox" to "auto" or "none" to continue without one.',
        )
    for key in ("network", "allow", "limits"):
        if getattr(options, key):
            raise SandboxUnusable(f"sandbox.{key} needs a sandbox, and this version has none.", f"Remove {key}.")
    return asked
