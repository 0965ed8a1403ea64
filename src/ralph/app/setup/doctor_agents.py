"""Whether the agents that the settings choose answer: their programs, their servers, their logins."""

import json
import os
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import replace

from ralph.agents.help_page import offers_command
from ralph.agents.opencode_server import server_version
from ralph.agents.permissions import DEFAULT_LEVEL, TABLE, flags_for, is_denied, meaning, refusal_as_root
from ralph.agents.registry import Agent, choose, choose_executor, find
from ralph.app.reviews.reviewers import reviewers
from ralph.app.setup.findings import PATIENCE, Finding, Findings, Status, ask, complaint
from ralph.config.schema import Settings
from ralph.model.errors import AgentUnusable, ConfigError, RalphError

# The commands that show whether an agent is logged in, and spend nothing.
LOGINS = {"claude": ("auth", "status"), "codex": ("login", "status")}
OTHER = "Install it, or choose another: ralph init"


def agent_findings(settings: Settings, project: Path) -> Findings:
    if not (settings.agent.command or settings.defaults.executor):
        yield Finding("agent", "missing", "the settings choose none", "Choose one: ralph init")
        return
    try:
        agent, executor = choose(settings), choose_executor(settings)
    except ConfigError as error:
        yield Finding("agent", "missing", error.message, error.hint)
        return
    yield from _one(agent, "agent", settings, project)
    if executor.name != agent.name:
        yield from _one(executor, "executor", settings, project)
    yield from _reviewers(settings, executor)
    yield from _fallback(settings, project)


def _one(agent: Agent, part: str, settings: Settings, project: Path) -> Findings:
    found = _server(agent, part) if agent.adapter.server else _program(agent, part, project)
    yield found
    if found.status == "ok":
        # Only the agent of `ralph run` keeps ralph from running; an executor is needed for tasks alone.
        status: Status = "missing" if part == "agent" else "warning"
        yield from _permissions(agent, settings, status)
        yield from _login(agent, status)
    yield from _endpoint(agent)


def _program(agent: Agent, part: str, project: Path) -> Finding:
    program = agent.command[0]
    # A path is relative to the project, where the loop starts it.
    found = shutil.which(str(project / program) if os.sep in program else program)
    if found:
        return Finding(part, "ok", f"{agent.name} ({found})")
    return Finding(
        part, "missing", f"the settings choose {agent.name}, but {program} is not an executable on PATH", OTHER
    )


def _server(agent: Agent, part: str) -> Finding:
    server = agent.adapter.server
    try:
        version = server_version(server, os.environ, PATIENCE)
    except AgentUnusable as error:
        return Finding(
            part, "missing", f"the settings choose {agent.name}, but {error.message.rstrip('.')}", error.hint
        )
    return Finding(part, "ok", f"{agent.name} (OpenCode {version} at {server})")


def _endpoint(agent: Agent) -> Findings:
    """Whether the endpoint of its model accepts a connection. No request is made that could cost money."""
    address = agent.env.get(agent.adapter.endpoint_variable or "", "")
    if not address:
        return
    try:
        parts = urlsplit(address)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "", port), PATIENCE):
            yield Finding("endpoint", "ok", f"{agent.name}: {address} accepts connections")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        hint = "Start what serves the model, or correct the endpoint of the executor."
        yield Finding("endpoint", "missing", f"{agent.name}: nothing answers at {address}: {why}", hint)


def _login(agent: Agent, status: Status) -> Findings:
    words = LOGINS.get(agent.adapter.name)
    if agent.adapter.server or words is None or not offers_command(agent.command, words[0]):
        return
    said = ask([*agent.command, *words], {**os.environ, **agent.env})
    if said.code == 0:
        yield Finding("login", "ok", f"{agent.name} is logged in")
        return
    why = complaint(said) if said.code is None else "it says that it is not"
    login = words[0] if words[0] == "login" else f"{words[0]} login"
    hint = f"Log in: {agent.command[0]} {login}; a key or a provider in its own settings also works"
    is_known = said.code is not None and not _has_key(agent)
    yield Finding("login", status if is_known else "warning", f"is {agent.name} logged in? {why}", hint)


def _has_key(agent: Agent) -> bool:
    """Whether a variable gives the agent a key: then it can work even if it says that it is not logged in."""
    known = {**os.environ, **agent.env}
    return any(agent.adapter.may_see(name) and name.endswith(("_API_KEY", "_AUTH_TOKEN")) for name in known)


def _permissions(agent: Agent, settings: Settings, status: Status) -> Findings:
    """Whether the agent may do its work with nobody there to ask."""
    name, words = agent.adapter.name, [*agent.command[1:], *agent.flags]
    if name not in TABLE:
        return
    if is_denied(name, words):
        flags = flags_for(name, DEFAULT_LEVEL, [guardrail.command for guardrail in settings.guardrails])
        detail = f"{name} asks before it edits or runs anything, and is denied what its own settings do not allow"
        hint = f"Add to agent.flags: {', '.join(json.dumps(flag, ensure_ascii=False) for flag in flags)}"
        yield Finding("permissions", status, detail, hint)
    elif os.geteuid() == 0 and (variable := refusal_as_root(name, words, os.environ)):
        hint = f"Run ralph as another user, choose other flags with ralph init, or set {variable}=1 in a container"
        yield Finding("permissions", status, f"as root {name} refuses to work with its flags", hint)
    else:
        yield Finding("permissions", "ok", meaning(name, words).removesuffix("."))


def _fallback(settings: Settings, project: Path) -> Findings:
    """Whether the agent that takes over while the quota is used up is there. No run starts without it."""
    if not settings.quota.fallback_agent:
        return
    try:
        agent = find(settings, settings.quota.fallback_agent)
    except ConfigError as error:
        yield Finding("fallback", "missing", error.message, error.hint)
        return
    found = _server(agent, "fallback") if agent.adapter.server else _program(agent, "fallback", project)
    yield replace(found, hint="Install it, or correct quota.fallbackAgent.") if found.hint else found


def _reviewers(settings: Settings, executor: Agent) -> Findings:
    try:
        chosen = reviewers(settings, executor)
    except RalphError as error:
        yield Finding("reviewers", "warning", error.message.rstrip("."), error.hint)
        return
    names = ", ".join(f"{tier}: {by.reviewer}" for tier, by in chosen.items())
    yield Finding("reviewers", "ok", names or "none: no tier is reviewed")
