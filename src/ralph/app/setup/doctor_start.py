"""Whether `ralph run` would start with the settings: what it refuses before any agent works."""

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ralph.agents.registry import choose
from ralph.app.runs.measured import budget_warning
from ralph.app.setup.findings import Finding, Findings, ask
from ralph.config.schema import ScmSettings, Settings
from ralph.git.scm import check_words
from ralph.loop.kinds import kind_of
from ralph.model.errors import ConfigError, RalphError
from ralph.sandbox.choice import sandbox_of

RECIPE = "prompt"


def start_findings(settings: Settings, project: Path) -> Findings:
    """A finding for each part of the settings with which a run would end before its first iteration."""
    yield from _refused("sandbox", partial(sandbox_of, settings, kind_of(RECIPE).sandbox))
    if settings.agent.command or settings.defaults.executor:
        yield from _refused("budget", partial(_require_measured, settings))
    if settings.scm and settings.scm.tasks:
        yield from _refused("scm", partial(_require_scm, settings.scm, project))


def _refused(name: str, require: Callable[[], object]) -> Findings:
    try:
        require()
    except RalphError as error:
        yield Finding(name, "missing", error.message, error.hint)


def _require_measured(settings: Settings) -> None:
    try:
        agent = choose(settings)
    except ConfigError:
        return  # The finding about the agent says why.
    budget_warning(settings, agent)


def _require_scm(scm: ScmSettings, project: Path) -> None:
    check_words(scm.command, scm.tasks)
    program = scm.command.split()[0]
    if not shutil.which(str(project / program) if os.sep in program else program):
        raise ConfigError(f"the SCM tasks need {program}, which is not on PATH.", "Install it, or correct scm.command.")
    if Path(program).name == "git" and ask([program, "-C", str(project), "rev-parse", "--is-inside-work-tree"]).code:
        raise ConfigError(f"{project} is not a git repository, and the SCM tasks need one.", "Run: git init")
