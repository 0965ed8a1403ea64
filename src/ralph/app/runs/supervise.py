"""From flags and settings to a supervised command or agent."""

import shlex
from pathlib import Path
from typing import Any

from ralph.app.runs.prompt_run import TITLE, prompt_source
from ralph.app.usable import load_usable
from ralph.config.redact import mask_text
from ralph.config.schema import Settings
from ralph.kernel.recipes import supervise
from ralph.kernel.recipes.supervise import SuperviseRun
from ralph.loop.plan import Plan, make_plan
from ralph.model.errors import ConfigError
from ralph.model.words import first_words
from ralph.store.projects import located
from ralph.workbench.masking import masking


def plan_supervise(
    project: Path,
    *,
    command: tuple[str, ...],
    prompt: str | None,
    prompt_file: str | None,
    task_dir: str,
    flags: dict[str, Any],
    limits: dict[str, Any],
) -> Plan:
    """The plan. `limits` are the given fields of `SuperviseRun`; the others have their defaults."""
    if command and (prompt or prompt_file):
        raise ConfigError("a command and a prompt were given.", "Give one of them: ralph supervise --help")
    if not command and not prompt and not prompt_file:
        raise ConfigError("nothing to supervise.", "Give a command after --, or a prompt with -p or -f.")
    text, file = ("", None) if command else prompt_source(project, prompt, prompt_file, "ralph supervise --help")
    directory = Path(task_dir).absolute()
    if not directory.is_dir():
        raise ConfigError(f"there is no task directory {directory}.", f"Make it: mkdir -p {directory}")
    loaded = load_usable(project, flags=flags)
    loop = SuperviseRun(
        task_dir=located(project, directory),
        command=command,
        title=_title(loaded.settings, project, command, text),
        prompt=text,
        file=file,
        done_grace=loaded.settings.supervise.done_grace,
        **limits,
    )
    return make_plan(supervise.NAME, loaded.settings, loaded.merged, loop)


def _title(settings: Settings, project: Path, command: tuple[str, ...], prompt: str) -> str:
    """What names the run in lists."""
    mask = masking(settings, project)
    if command:
        return mask_text(mask(shlex.join(command)))
    return f'"{first_words(mask_text(mask(prompt)), TITLE)}"' if prompt else ""
