"""From flags and settings to a prompt loop that can be started."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ralph.agents.registry import Agent, choose
from ralph.config.layers import Loaded, load
from ralph.config.schema import Settings, apply_schema
from ralph.kernel.feedback import NONE, compose
from ralph.kernel.recipes.prompt import Guardrail, PromptRun, Scm
from ralph.loop.prompt_file import read_prompt
from ralph.model.errors import ConfigError


class Plan(Struct, frozen=True):
    """All that a run needs to be started, or to be started again."""

    project: Path
    settings: Settings
    merged: dict[str, Any]
    loop: PromptRun
    agent: Agent

    @property
    def options(self) -> dict[str, Any]:
        return {"settings": self.merged, "loop": msgspec.to_builtins(self.loop)}

    def first_prompt(self) -> str:
        base = self.loop.prompt if self.loop.file is None else read_prompt(Path(self.loop.file))
        return compose(base, NONE, iteration=1, limit=self.loop.limit, count=self.loop.count)


def plan_run(
    project: Path,
    *,
    prompt: str | None,
    prompt_file: str | None,
    flags: dict[str, Any],
    environ: Mapping[str, str] | None = None,
) -> tuple[Plan, Loaded]:
    if bool(prompt) == bool(prompt_file):
        given = "both" if prompt else "neither"
        raise ConfigError(
            f"exactly one of --prompt and --prompt-file is needed, {given} given.", "See: ralph run --help"
        )
    if prompt is not None and not _is_utf8(prompt):
        raise ConfigError("the prompt is not UTF-8.", "Put it into a UTF-8 file and use --prompt-file.")
    if prompt is not None and not prompt.strip():
        raise ConfigError("the prompt is empty.", "Say what the agent is to do.")
    loaded = load(project, flags=flags, environ=os.environ if environ is None else environ)
    file = str(project / prompt_file) if prompt_file else None
    if file:
        read_prompt(Path(file))
    return _plan(project, loaded.settings, loaded.merged, _loop(loaded.settings, prompt or "", file)), loaded


def plan_again(project: Path, options: dict[str, Any]) -> Plan:
    """The plan of a run that was started before, with the settings of that time."""
    settings = apply_schema(options["settings"])
    return _plan(project, settings, options["settings"], msgspec.convert(options["loop"], PromptRun))


def _plan(project: Path, settings: Settings, merged: dict[str, Any], loop: PromptRun) -> Plan:
    return Plan(project, settings, merged, loop, choose(settings))


def _loop(settings: Settings, prompt: str, file: str | None) -> PromptRun:
    scm = settings.scm
    return PromptRun(
        limit=settings.maximum_iterations,
        completion=settings.completion_response,
        prompt=prompt,
        file=file,
        guardrails=tuple(Guardrail(each.command, each.fail_action, each.hint) for each in settings.guardrails),
        scm=Scm(scm.command, tuple(scm.tasks)) if scm and scm.tasks else None,
        count=settings.include_iteration_count_in_prompt,
    )


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
