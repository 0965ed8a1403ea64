"""Which environment variables are settings."""

from collections.abc import Mapping

PREFIX = "RALPH_"
RESERVED = frozenset(
    {
        "RALPH_HOME",
        "RALPH_DATABASE_URL",
        "RALPH_RUN_ID",
        "RALPH_PARENT_RUN_ID",
        "RALPH_ATTEMPT_ID",
        "RALPH_MESSAGE_BUS",
    }
)
"""Not settings: ralph and the programs that it starts use them for themselves."""


def setting_variables(environ: Mapping[str, str]) -> list[str]:
    """Their names, a section before its keys. An empty variable counts as not set."""
    return sorted(name for name, text in environ.items() if name.startswith(PREFIX) and name not in RESERVED and text)
