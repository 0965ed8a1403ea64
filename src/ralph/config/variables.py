"""The environment variables that are settings."""

from collections.abc import Mapping

PREFIX = "RALPH_"
RESERVED = frozenset(
    {
        "RALPH_HOME",
        "RALPH_DATABASE_URL",
        "RALPH_STORE",
        "RALPH_RUN_ID",
        "RALPH_PARENT_RUN_ID",
        "RALPH_ATTEMPT_ID",
        "RALPH_MESSAGE_BUS",
        "RALPH_GUARD",
        "RALPH_END_RUN",
        "RALPH_END_VERDICT",
        "RALPH_END_REASON",
    }
)
"""Variables that are not settings: ralph and the programs that it starts use them."""


def setting_variables(environ: Mapping[str, str]) -> list[str]:
    """The names of the setting variables, a section before its keys. An empty variable counts as not set."""
    return sorted(name for name, text in environ.items() if name.startswith(PREFIX) and name not in RESERVED and text)
