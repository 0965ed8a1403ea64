"""OpenCode as a server that already runs (`opencode serve`), through a client program of ralph's own."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from ralph.agents.adapter import Adapter, Call, Invocation
from ralph.agents.opencode_events import OpenCodeEvents
from ralph.agents.parser import Parser
from ralph.model.errors import AgentUnusable, ConfigError
from ralph.proc.own_python import own_module

CLIENT = "ralph.agents.opencode_client"
MODEL = ("--model", "-m")
WITH_VALUE = (*MODEL, "--agent", "--variant")
ALONE = ("--auto",)
START = "Start it (opencode serve), or correct the endpoint of the executor."


class OpenCodeServer(Adapter):
    name = "opencode"
    environment = ("OPENCODE_SERVER_*",)
    # The client then aborts the session, so that the server ends its tools.
    interrupt_first = True

    def __init__(self, endpoint: str) -> None:
        self.server = _address(endpoint)

    def invocation(self, command: list[str], flags: list[str], call: Call) -> Invocation:  # noqa: ARG002 - no program but ours
        self.refuse_flags(flags)
        return Invocation([*own_module(CLIENT), *flags, self.server], on_stdin=True)

    def parser(self, *, stream: bool) -> Parser:  # noqa: ARG002 - the same reader for both
        return OpenCodeEvents()

    def refuse_flags(self, flags: list[str]) -> None:
        words = iter(flags)
        for word in words:
            name, equals, value = word.partition("=")
            if name not in (*WITH_VALUE, *ALONE):
                known = ", ".join((*WITH_VALUE, *ALONE))
                raise ConfigError(f"an OpenCode server takes no flag {word!r}.", f"Known: {known}")
            if name in ALONE:
                continue
            value = value if equals else next(words, "")
            if not value:
                raise ConfigError(f"the flag {name} has no value.", "Add one, or remove it.")
            if name in MODEL and "/" not in value:
                raise ConfigError(f"the model {value!r} names no provider.", "Write the model as PROVIDER/MODEL.")


def server_version(server: str, environ: Mapping[str, str], patience: float) -> str:
    """The version that answers there; an AgentUnusable if nothing answers, or if it refuses access."""
    from ralph.agents.opencode_client.server import Server, Trouble

    try:
        return Server(server, environ, patience=patience).health().version
    except Trouble as error:
        hint = START if error.kind == "missing" else "Set OPENCODE_SERVER_PASSWORD to the server's password."
        raise AgentUnusable(f"{error}.", hint) from None


def _address(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
        parts = urlsplit("")
    if "@" in parts.netloc:
        hint = "Set OPENCODE_SERVER_PASSWORD, and OPENCODE_SERVER_USERNAME if it is not opencode."
        raise ConfigError("the endpoint contains a login, which every process list would show.", hint)
    if not is_whole or parts.query or parts.fragment or not endpoint.isprintable() or " " in endpoint:
        raise ConfigError(
            f"the endpoint {endpoint!r} is not the address of a server.", "Use one such as http://localhost:4096"
        )
    return endpoint.rstrip("/")
