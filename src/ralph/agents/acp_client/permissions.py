"""The decision about a permission that an agent asks for."""

from typing import Literal

from msgspec import Raw, Struct

Policy = Literal["allow", "reads", "deny"]
READING = ("read", "search", "fetch")
"""The kinds of tools that change nothing."""


class Option(Struct, rename="camel"):
    option_id: str
    kind: str = ""


class Asking(Struct):
    kind: str | None = None


class Request(Struct, rename="camel"):
    """The content of `session/request_permission`."""

    options: list[Option]
    tool_call: Raw = Raw(b"{}")


def permits(policy: Policy, kind: str | None) -> bool:
    return policy == "allow" or (policy == "reads" and kind in READING)


def choose(options: list[Option], *, permitted: bool) -> Option | None:
    """The option to choose. A single permission is preferred: an agent may record a permanent one in the project."""
    wanted = ("allow_once", "allow_always") if permitted else ("reject_once", "reject_always")
    return next((option for kind in wanted for option in options if option.kind == kind), None)
