"""Which agents ralph knows here: those it has an adapter for, and those that the settings add."""

import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from ralph.agents.adapter import Call, Invocation
from ralph.agents.registry import PROGRAMS, Agent, find
from ralph.config.redact import redacted
from ralph.config.schema import Settings
from ralph.model.errors import AgentUnusable
from ralph.proc import capture

PATIENCE = 20.0
"""How long a program may take to tell its version, in seconds: some load for seconds first."""
ACP_AGENT = "claude-agent-acp"
NUMBER = re.compile(r"\d+(?:\.\d+)+\S*")


class KnownAgent(Struct, frozen=True, rename="camel"):
    name: str
    """By which `agent.command` and `--agent` choose it."""
    type: str
    from_settings: bool
    path: str | None
    """None if it is not installed."""
    version: str | None
    format: str
    """`events` if ralph understands what it does, `text` if it only reads what it prints."""
    argv: list[str]
    prompt: str
    """How the prompt reaches it: by stdin, or in place of a word in argv."""

    @property
    def installed(self) -> bool:
        return self.path is not None


def agent_names(settings: Settings) -> list[str]:
    added = [executor.id for executor in settings.tools.executors]
    return [*(name for name in (*PROGRAMS, ACP_AGENT) if name not in added), *added]


def known_agents(settings: Settings, project: Path) -> Iterator[KnownAgent]:
    """In that order, but asked all at once: what hangs costs its own time limit, not the sum of all."""
    added = {executor.id for executor in settings.tools.executors}
    agents = {name: find(settings, name) for name in agent_names(settings)}

    def look(name: str) -> KnownAgent:
        stream = settings.stream_agent_output
        return _known(name, agents[name], project, stream=stream, from_settings=name in added)

    with ThreadPoolExecutor(max_workers=len(agents)) as pool:
        yield from pool.map(look, agents)


def _known(name: str, agent: Agent, project: Path, *, stream: bool, from_settings: bool) -> KnownAgent:
    program = agent.command[0]
    # A path counts from the project, where the loop starts it.
    path = shutil.which(str(project / program) if os.sep in program else program)
    invocation = _invocation(agent, stream=stream)
    return KnownAgent(
        name=name,
        type=agent.adapter.name,
        from_settings=from_settings,
        path=path,
        version=_version(path) if path and agent.adapter.name in PROGRAMS else None,
        format="text" if agent.adapter.parser(stream=stream).plain else "events",
        argv=redacted({"argv": invocation.argv})["argv"],
        prompt="stdin" if invocation.on_stdin else "argv",
    )


def _invocation(agent: Agent, *, stream: bool) -> Invocation:
    places = Call("PROMPT", "PROMPT_FILE", "ANSWER_FILE", stream)
    try:
        return agent.adapter.invocation(agent.command, agent.flags, places)
    except AgentUnusable:
        return Invocation([*agent.command, *agent.flags], on_stdin=True)


def _version(path: str) -> str | None:
    """Only known programs are asked: any other might take the question for its work."""
    said = capture([path, "--version"], timeout=PATIENCE)
    found = NUMBER.search(said.output) if said.code == 0 else None
    return found[0].rstrip(".,)") if found else None
