"""The flags `--sandbox` and `--no-sandbox`, as settings."""

from typing import Any

from ralph.model.errors import SandboxUnusable
from ralph.sandbox.choice import NONE


def sandbox_flags(*, wanted: bool | None) -> dict[str, Any]:
    """The settings that the flags stand for. Without a flag, the settings files decide."""
    if wanted:
        raise SandboxUnusable(
            "--sandbox asks for a sandbox, and this version has none.", "Continue without one: --no-sandbox"
        )
    return {} if wanted is None else {"sandbox": NONE}
