"""The agents that ralph knows here: those with an adapter, and those that the settings add."""

import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from msgspec import Struct

from ralph.agents.adapter import Call, Invocation
from ralph.agents.opencode_server import server_version
from ralph.agents.registry import PROGRAMS, Agent, find
from ralph.config.redact import redacted
from ralph.config.schema import Settings
from ralph.model.errors import AgentUnusable
from ralph.proc.capture import capture

PATIENCE = 20.0
"""How many seconds a program may take to print its version: some load for seconds first."""
ACP_AGENT = "claude-agent-acp"
NUMBER = re.compile(r"\d+(?:\.\d+)+\S*")


class KnownAgent(Struct, frozen=True, rename="camel"):
    name: str
    """The name by which `agent.command` and `--agent` choose it."""
    type: str
    from_settings: bool
    path: str | None
    """The path, or the URL of a server that already runs; None if it is not installed, or does not answer."""
    version: str | None
    format: str
    """`events` if ralph understands what it does, `text` if it only reads its output."""
    argv: list[str]
    prompt: str
    """How the prompt reaches it: by stdin, or instead of a word in argv."""

    @property
    def installed(self) -> bool:
        return self.path is not None


def agent_names(settings: Settings) -> list[str]:
    added = [executor.id for executor in settings.tools.executors]
    return [*(name for name in (*PROGRAMS, ACP_AGENT) if name not in added), *added]


def known_agents(settings: Settings, project: Path) -> Iterator[KnownAgent]:
    """The agents: first those with an adapter, then those of the settings. All are asked at once, so that programs that
    hang cost one time limit, not the sum of all.
    """
    added = {executor.id for executor in settings.tools.executors}
    agents = {name: find(settings, name) for name in agent_names(settings)}
    with ThreadPoolExecutor(max_workers=len(agents)) as pool:
        places = pool.map(partial(_place, project), agents.values())
        for (name, agent), place in zip(agents.items(), places, strict=True):
            # This is not done in the threads: two that are the first to use the same struct make msgspec crash.
            yield _known(name, agent, place, stream=settings.stream_agent_output, from_settings=name in added)


def _place(project: Path, agent: Agent) -> tuple[str | None, str | None]:
    """Where the agent is, and its version."""
    return _served(agent.adapter.server) if agent.adapter.server else _installed(agent, project)


def _known(
    name: str, agent: Agent, place: tuple[str | None, str | None], *, stream: bool, from_settings: bool
) -> KnownAgent:
    path, version = place
    invocation = _invocation(agent, stream=stream)
    return KnownAgent(
        name=name,
        type=agent.adapter.name,
        from_settings=from_settings,
        path=path,
        version=version,
        format="text" if agent.adapter.parser(stream=stream).plain else "events",
        argv=redacted({"argv": invocation.argv})["argv"],
        prompt="stdin" if invocation.on_stdin else "argv",
    )


def _installed(agent: Agent, project: Path) -> tuple[str | None, str | None]:
    program = agent.command[0]
    # A path is relative to the project, where the loop starts it.
    path = shutil.which(str(project / program) if os.sep in program else program)
    return path, _version(path) if path and agent.adapter.name in PROGRAMS else None


def _served(server: str) -> tuple[str | None, str | None]:
    try:
        return server, server_version(server, os.environ, PATIENCE)
    except AgentUnusable:
        return None, None


def _invocation(agent: Agent, *, stream: bool) -> Invocation:
    places = Call("PROMPT", "PROMPT_FILE", "ANSWER_FILE", stream)
    try:
        return agent.adapter.invocation(agent.command, agent.flags, places)
    except AgentUnusable:
        return Invocation([*agent.command, *agent.flags], on_stdin=True)


def _version(path: str) -> str | None:
    """The version. Only known programs are asked: any other might treat the flag as a prompt."""
    said = capture([path, "--version"], timeout=PATIENCE)
    found = NUMBER.search(said.output) if said.code == 0 else None
    return found[0].rstrip(".,)") if found else None
