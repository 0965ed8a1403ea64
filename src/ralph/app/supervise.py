"""From flags and settings to a supervised command or agent."""

import os
from pathlib import Path
from typing import Any

from ralph.app.plan import Plan, make_plan
from ralph.app.prompt_run import prompt_source
from ralph.config.layers import load
from ralph.kernel.recipes import supervise
from ralph.kernel.recipes.supervise import SuperviseRun
from ralph.model.errors import ConfigError


def plan_supervise(
    project: Path,
    *,
    command: tuple[str, ...],
    prompt: str | None,
    prompt_file: str | None,
    task_dir: str | None,
    flags: dict[str, Any],
    limits: dict[str, Any],
) -> Plan:
    """`limits` are the fields of `SuperviseRun` that were given; the others have their defaults."""
    if command and (prompt or prompt_file):
        raise ConfigError("a command and a prompt were given.", "Give one of them: ralph supervise --help")
    if not command and not prompt and not prompt_file:
        raise ConfigError("nothing to supervise.", "Give a command after --, or a prompt with -p or -f.")
    text, file = ("", None) if command else prompt_source(project, prompt, prompt_file, "ralph supervise --help")
    directory = Path(task_dir or os.environ.get("TASK_FOLDER") or project).absolute()
    if not directory.is_dir():
        raise ConfigError(f"there is no task directory {directory}.", f"Make it: mkdir -p {directory}")
    loaded = load(project, flags=flags)
    loop = SuperviseRun(
        task_dir=str(directory),
        command=command,
        prompt=text,
        file=file,
        done_grace=loaded.settings.supervise.done_grace,
        **limits,
    )
    return make_plan(supervise.NAME, project, loaded.settings, loaded.merged, loop)
