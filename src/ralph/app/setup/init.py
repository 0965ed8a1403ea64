"""`ralph init`: questions in, settings out."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ralph.agents.permissions import Level
from ralph.app.setup.init_files import refuse_read_only, shown_settings
from ralph.app.setup.init_permissions import ask_level, with_permissions
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError

FAIL_ACTIONS = ("APPEND", "PREPEND", "REPLACE")
DEFAULTS = Settings()

Ask = Callable[[str], str]
"""A function that asks a question and returns the answer without surrounding white space."""
Say = Callable[[str], None]


class Detected(NamedTuple):
    agents: Sequence[str] = ()
    guardrails: Sequence[str] = ()
    builds: Sequence[str] = ()
    """The commands that build the project: the agent may run them, but they prove nothing."""


def dialogue(ask: Ask, say: Say, project: Path, detected: Detected) -> dict[str, Any] | None:
    """The settings from a person's answers, or None if the existing ones must stay."""
    refuse_read_only(project)
    if existing := shown_settings(project):
        say(existing)
        if not confirm(ask, say, "Overwrite?", default=False):
            return None
    return interview(ask, say, detected)


def interview(ask: Ask, say: Say, detected: Detected) -> dict[str, Any]:
    """All the questions, in order."""
    settings = settings_from(
        agent=_agent(ask, say, detected.agents),
        flags=_split(ask("Agent flags (comma-separated, optional): ")),
        maximum=_maximum(ask, say),
        completion=ask(f"Completion response [{DEFAULTS.completion_response}]: ") or DEFAULTS.completion_response,
        guardrails=[*_detected_guardrails(ask, say, detected.guardrails), *_more_guardrails(ask, say)],
        scm=_scm(ask, say),
    )
    commands = _commands(settings, detected)
    return with_permissions(settings, ask_level(ask, say, settings, commands), commands)


def without_questions(
    *,
    agent: str | None,
    flags: Sequence[str],
    maximum: int | None,
    completion: str | None,
    guardrails: Sequence[str],
    scm_command: str | None,
    scm_tasks: Sequence[str],
    permissions: Level | None,
    detected: Detected,
) -> dict[str, Any]:
    """The settings from flags and detection."""
    if agent is None and not detected.agents:
        raise ConfigError("no known agent is on PATH.", "Name yours: ralph init --yes --agent NAME")
    if scm_command is not None and not scm_tasks:
        raise ConfigError("--scm-command does nothing by itself.", "Add a task, such as --scm-task commit")
    settings = settings_from(
        agent=detected.agents[0] if agent is None else agent,
        flags=flags,
        maximum=DEFAULTS.maximum_iterations if maximum is None else maximum,
        completion=DEFAULTS.completion_response if completion is None else completion,
        guardrails=[guardrail(command) for command in guardrails or detected.guardrails],
        scm={"command": "git" if scm_command is None else scm_command, "tasks": list(scm_tasks)} if scm_tasks else None,
    )
    return with_permissions(settings, permissions, _commands(settings, detected))


def _commands(settings: dict[str, Any], detected: Detected) -> list[str]:
    """The project's own commands, as far as they are known."""
    return [*(each["command"] for each in settings["guardrails"]), *detected.guardrails, *detected.builds]


def settings_from(
    *,
    agent: str,
    flags: Sequence[str],
    maximum: int,
    completion: str,
    guardrails: Sequence[dict[str, str]],
    scm: dict[str, Any] | None,
) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "maximumIterations": maximum,
        "completionResponse": completion,
        "outputTruncateChars": DEFAULTS.output_truncate_chars,
        "streamAgentOutput": DEFAULTS.stream_agent_output,
        "agent": {"command": agent, "flags": list(flags)},
        "guardrails": list(guardrails),
    }
    return settings | ({"scm": scm} if scm else {})


def guardrail(command: str, fail_action: str = FAIL_ACTIONS[0], hint: str = "") -> dict[str, str]:
    return {"command": command, "failAction": fail_action} | ({"hint": hint} if hint else {})


def confirm(ask: Ask, say: Say, question: str, *, default: bool) -> bool:
    words = {"": default, "y": True, "yes": True, "n": False, "no": False}
    while (answer := ask(f"{question} ({'Y/n' if default else 'y/N'}): ").lower()) not in words:
        say("Answer y or n.")
    return words[answer]


def _agent(ask: Ask, say: Say, found: Sequence[str]) -> str:
    question = "Agent command (e.g., claude, codex, amp, or other LLM CLI)"
    if not found:
        return _required(ask, say, f"{question}: ", "An agent command is required.")
    if len(found) > 1:
        say(f"Agents found: {', '.join(found)}")
    return ask(f"{question} [{found[0]}]: ") or found[0]


def _maximum(ask: Ask, say: Say) -> int:
    while answer := ask(f"Maximum iterations [{DEFAULTS.maximum_iterations}]: "):
        if re.fullmatch(r"0*[1-9][0-9]{,14}", answer):
            return int(answer)
        say("Enter a positive whole number.")
    return DEFAULTS.maximum_iterations


def _detected_guardrails(ask: Ask, say: Say, commands: Sequence[str]) -> list[dict[str, str]]:
    if not commands:
        return []
    say("Detected guardrails:")
    for command in commands:
        say(f"  {command}")
    wanted = confirm(ask, say, "Use the detected guardrails?", default=True)
    return [guardrail(command) for command in commands] if wanted else []


def _more_guardrails(ask: Ask, say: Say) -> Iterator[dict[str, str]]:
    while command := ask("Add guardrail command (leave blank to finish): "):
        fail_action = _fail_action(ask, say)
        yield guardrail(command, fail_action, ask("  Hint (optional, guidance for agent on failure): "))


def _fail_action(ask: Ask, say: Say) -> str:
    while (answer := ask("  Fail action (APPEND|PREPEND|REPLACE): ").upper()) not in FAIL_ACTIONS:
        say("  Enter APPEND, PREPEND or REPLACE.")
    return answer


def _scm(ask: Ask, say: Say) -> dict[str, Any] | None:
    if not confirm(ask, say, "Configure SCM?", default=False):
        return None
    command = _required(ask, say, "  SCM command (e.g., git): ", "  An SCM command is required.")
    while not (tasks := _split(ask("  SCM tasks (comma-separated, e.g., commit,push): "))):
        say("  At least one task is required.")
    return {"command": command, "tasks": tasks}


def _required(ask: Ask, say: Say, question: str, reminder: str) -> str:
    while not (answer := ask(question)):
        say(reminder)
    return answer


def _split(answer: str) -> list[str]:
    return [part for part in map(str.strip, answer.split(",")) if part]
