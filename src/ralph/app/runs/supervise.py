"""From flags and settings to a supervised command or agent."""

from pathlib import Path
from typing import Any

from ralph.app.runs.prompt_run import prompt_source
from ralph.app.usable import load_usable
from ralph.kernel.recipes import supervise
from ralph.kernel.recipes.supervise import SuperviseRun
from ralph.loop.plan import Plan, make_plan
from ralph.model.errors import ConfigError
from ralph.store.projects import located


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
        prompt=text,
        file=file,
        done_grace=loaded.settings.supervise.done_grace,
        **limits,
    )
    return make_plan(supervise.NAME, loaded.settings, loaded.merged, loop)
