"""What an agent tells its hooks."""

import msgspec
from msgspec import Struct

from ralph.model.errors import ConfigError

LARGEST = 16 << 20
"""The most bytes that are read. They include the agent's last message."""
START, STOP = "SessionStart", "Stop"
PLANS = "plan"
"""The permission mode of an agent that may change nothing, so that its work cannot be done yet."""


class HookCall(Struct, frozen=True):
    """A hook call, with the same keys in Claude Code and in Codex. Other keys do not matter here."""

    session_id: str
    hook_event_name: str
    cwd: str = ""
    stop_hook_active: bool = False
    """Whether the agent continues because a stop was refused, by this hook or another one."""
    permission_mode: str = ""


def read_call(data: bytes) -> HookCall:
    try:
        call = msgspec.json.decode(data, type=HookCall)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _unreadable(str(error)) from None
    if not call.session_id or not call.session_id.isprintable():
        raise _unreadable("the session has no id")
    return call


def _unreadable(why: str) -> ConfigError:
    return ConfigError(
        f"standard input is not what an agent tells its hooks: {why}.", "Let the agent call it: ralph guard install"
    )
