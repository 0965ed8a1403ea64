"""`ralph init`: questions in, settings out, and one file that is written whole or not at all."""

import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ralph.config.check import checked
from ralph.config.merge import merge
from ralph.config.read import read_settings
from ralph.config.redact import redacted
from ralph.config.schema import Settings
from ralph.model.errors import ConfigError

SETTINGS = ".ralph/settings.json"
LOCAL_SETTINGS = ".ralph/settings.local.json"
FAIL_ACTIONS = ("APPEND", "PREPEND", "REPLACE")
DEFAULTS = Settings()

# The first line holds where an earlier line ignores the whole folder: git looks into no ignored folder.
IGNORED_STATE = (
    "# ralph: settings and specs are shared, the rest is local",
    "!/.ralph/",
    "/.ralph/*",
    "!/.ralph/settings.json",
    "!/.ralph/config.yaml",
    "!/.ralph/specs/",
)

Ask = Callable[[str], str]
"""Puts a question and returns the answer without the white space around it."""
Say = Callable[[str], None]


class Detected(NamedTuple):
    agents: Sequence[str] = ()
    guardrails: Sequence[str] = ()


def dialogue(ask: Ask, say: Say, project: Path, detected: Detected) -> dict[str, Any] | None:
    """The settings as a person answers for them, or None if the existing ones are to stay."""
    _refuse_read_only(project)
    if existing := shown_settings(project):
        say(existing)
        if not confirm(ask, say, "Overwrite?", default=False):
            return None
    return interview(ask, say, detected)


def interview(ask: Ask, say: Say, detected: Detected) -> dict[str, Any]:
    """All the questions, in order."""
    return settings_from(
        agent=_agent(ask, say, detected.agents),
        flags=_split(ask("Agent flags (comma-separated, optional): ")),
        maximum=_maximum(ask, say),
        completion=ask(f"Completion response [{DEFAULTS.completion_response}]: ") or DEFAULTS.completion_response,
        guardrails=[*_detected_guardrails(ask, say, detected.guardrails), *_more_guardrails(ask, say)],
        scm=_scm(ask, say),
    )


def without_questions(
    *,
    agent: str | None,
    flags: Sequence[str],
    maximum: int | None,
    completion: str | None,
    guardrails: Sequence[str],
    scm_command: str | None,
    scm_tasks: Sequence[str],
    detected: Detected,
) -> dict[str, Any]:
    """The settings as flags and detection answer for them."""
    if agent is None and not detected.agents:
        raise ConfigError("no known agent is on PATH.", "Name yours: ralph init --yes --agent NAME")
    if scm_command is not None and not scm_tasks:
        raise ConfigError("--scm-command does nothing by itself.", "Add what it is to do, such as --scm-task commit")
    return settings_from(
        agent=detected.agents[0] if agent is None else agent,
        flags=flags,
        maximum=DEFAULTS.maximum_iterations if maximum is None else maximum,
        completion=DEFAULTS.completion_response if completion is None else completion,
        guardrails=[guardrail(command) for command in guardrails or detected.guardrails],
        scm={"command": "git" if scm_command is None else scm_command, "tasks": list(scm_tasks)} if scm_tasks else None,
    )


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


def refuse_existing(project: Path) -> None:
    if os.path.lexists(project / SETTINGS):
        raise ConfigError(f"{SETTINGS} exists already.", "Overwrite it with --force.")


def shown_settings(project: Path) -> str:
    """The settings that stand there and where they came from; a file that cannot be read is told, not fatal."""
    try:
        base = read_settings(project / SETTINGS, SETTINGS)
        if base is None:
            return ""
        local = read_settings(project / LOCAL_SETTINGS, LOCAL_SETTINGS)
    except ConfigError as error:
        return str(error)
    overlay = "" if local is None else f" (with local overlay from {Path(LOCAL_SETTINGS).name})"
    return f"{_pretty(redacted(merge(base, local or {})))}\nLoaded from {SETTINGS}{overlay}"


def create(project: Path, settings: dict[str, Any]) -> Iterator[str]:
    """Write the settings and what git is to ignore; say each thing once it is done."""
    checked(settings, "the new settings")
    _write(project / SETTINGS, f"{_pretty(settings)}\n".encode(), SETTINGS)
    yield f"Settings written to {SETTINGS}"
    if _ignore_state(project):
        yield "Added ralph's state to .gitignore"
    yield 'Next: ralph doctor, then ralph run -p "what is to be done"'


def _is_repository(folder: Path) -> bool:
    """A worktree has a file of that name; an empty directory of it, as a killed program may leave one, is nothing."""
    git = folder / ".git"
    return git.is_file() or (git / "HEAD").is_file()


def _ignore_state(project: Path) -> bool:
    if not any(map(_is_repository, (project, *project.parents))):
        return False
    path = project / ".gitignore"
    before = _read(path)
    # An iterator: each line is looked for after the one before it, as their order decides.
    lines = iter(before.decode(errors="replace").splitlines())
    if all(line in lines for line in IGNORED_STATE):
        return False
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    gap = newline if before and not before.endswith(b"\n") else b""
    added = b"".join(line.encode() + newline for line in IGNORED_STATE)
    _write(path, before + gap + added, ".gitignore")
    return True


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise ConfigError(f"cannot read {path.name}: {error.strerror}.") from error


def _write(path: Path, content: bytes, name: str) -> None:
    """The whole file or nothing, whatever happens on the way."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(exist_ok=True)
        try:
            with fresh.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if path.is_file():
                shutil.copymode(path, fresh)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot_write(name, str(error.strerror)) from error


def _refuse_read_only(project: Path) -> None:
    """Told before the questions, not after them."""
    folder = (project / SETTINGS).parent
    if not os.access(folder if folder.exists() else project, os.W_OK):
        raise _cannot_write(SETTINGS, "the directory is read-only")


def _cannot_write(name: str, why: str) -> ConfigError:
    return ConfigError(f"cannot write {name}: {why}.", "Run ralph init where you may write.")


def _pretty(settings: dict[str, Any]) -> str:
    return json.dumps(settings, indent=2, ensure_ascii=False)
