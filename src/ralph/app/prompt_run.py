"""From flags and settings to a prompt loop that can be started."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ralph.app.plan import Plan, make_plan
from ralph.config.layers import Loaded, load
from ralph.config.schema import Settings
from ralph.kernel.feedback import NONE, compose
from ralph.kernel.recipes import prompt as recipe
from ralph.kernel.recipes.prompt import Guardrail, PromptRun, Scm
from ralph.loop.prompt_file import read_prompt
from ralph.model.errors import ConfigError


def plan_run(
    project: Path,
    *,
    prompt: str | None,
    prompt_file: str | None,
    flags: dict[str, Any],
    environ: Mapping[str, str] | None = None,
) -> tuple[Plan, Loaded]:
    text, file = prompt_source(project, prompt, prompt_file, "ralph run --help")
    loaded = load(project, flags=flags, environ=os.environ if environ is None else environ)
    loop = _loop(loaded.settings, text, file)
    return make_plan(recipe.NAME, project, loaded.settings, loaded.merged, loop), loaded


def first_prompt(loop: PromptRun) -> str:
    base = loop.prompt if loop.file is None else read_prompt(Path(loop.file))
    return compose(base, NONE, iteration=1, limit=loop.limit, count=loop.count)


def prompt_source(project: Path, prompt: str | None, prompt_file: str | None, see: str) -> tuple[str, str | None]:
    """The prompt's text, or its file; exactly one of them."""
    if bool(prompt) == bool(prompt_file):
        given = "both" if prompt else "neither"
        raise ConfigError(f"exactly one of --prompt and --prompt-file is needed, {given} given.", f"See: {see}")
    if prompt is not None and not _is_utf8(prompt):
        raise ConfigError("the prompt is not UTF-8.", "Put it into a UTF-8 file and use --prompt-file.")
    if prompt is not None and not prompt.strip():
        raise ConfigError("the prompt is empty.", "Say what the agent is to do.")
    file = str(project / prompt_file) if prompt_file else None
    if file:
        read_prompt(Path(file))
    return prompt or "", file


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
