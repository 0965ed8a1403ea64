"""`ralph init`: the terminal side of the questions."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ralph.cli.choices import Choice
from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.app.setup.init import Detected

WITH_QUESTIONS = ("no_detect", "template")
"""The options that are also allowed with the questions."""


@click.command("init")
@click.option("-y", "--yes", is_flag=True, help="Do not ask: use the flags, the detected commands and the defaults.")
@click.option("--agent", metavar="NAME", help="The agent's command.  [default: the first agent found on PATH]")
@click.option("--flag", "flags", metavar="F", multiple=True, help="A flag for the agent; repeatable.")
@click.option(
    "--guardrail",
    "guardrails",
    metavar="CMD",
    multiple=True,
    help="A command that must pass; repeatable.  [default: the detected ones]",
)
@click.option("--max", "maximum", metavar="N", type=click.IntRange(min=1), help="Maximum iterations.  [default: 10]")
@click.option("--completion", metavar="TEXT", help="The completion response.  [default: DONE]")
@click.option("--scm-command", metavar="CMD", help="The version control program.  [default: git]")
@click.option("--scm-task", "scm_tasks", metavar="T", multiple=True, help="A task such as commit or push; repeatable.")
@click.option(
    "--permissions",
    type=Choice(["all", "project", "own"]),
    help="What the agent may do without asking: all, edits and the project's commands, or only what its own settings "
    "allow.  [default: project]",
)
@click.option(
    "--template",
    type=Choice(["python", "node", "go", "rust", "generic"]),
    help="Also write rules and verification steps for this kind of project. ralph names the steps that do not fit.",
)
@click.option("--force", is_flag=True, help="Overwrite existing settings.")
@click.option("--no-detect", is_flag=True, help="Do not detect the project's own test and lint commands.")
@click.pass_context
def command(ctx: click.Context, yes: bool, force: bool, no_detect: bool, template: str | None, **given: Any) -> None:
    """Create .ralph/settings.json from your answers to a few questions.

    In a script, use --yes with the flags below; all of them need it except --no-detect and --template.

    \b
    ralph init
    ralph init --yes --agent claude --template python
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.setup.detect import builds, guardrails, installed_agents
    from ralph.app.setup.init import Detected, without_questions
    from ralph.app.setup.init_files import create, refuse_existing

    if template and no_detect:
        raise click.UsageError("--template looks for the project's own commands, and --no-detect forbids it.", ctx)
    project = here()
    detected = Detected(installed_agents())
    if not no_detect:
        detected = detected._replace(guardrails=guardrails(project), builds=builds(project))
    if yes:
        if not force:
            refuse_existing(project)
        settings = without_questions(**given, detected=detected)
    else:
        _refuse_flags(ctx)
        settings = _ask_all(project, detected)
    if settings is not None:
        settings |= _from_template(template, project) if template else {}
        for line in create(project, settings):
            say(line)


def _from_template(name: str, project: "Path") -> dict[str, Any]:
    """The rules and steps; what does not fit is reported."""
    from ralph.app.setup.templates import fitted

    found = fitted(name, project)
    for line in found.told:
        say(f"Template {name}: {line}.")
    return found.settings


def _refuse_flags(ctx: click.Context) -> None:
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if source is click.core.ParameterSource.COMMANDLINE and parameter.name not in WITH_QUESTIONS:
            raise click.UsageError(f"{parameter.opts[0]} needs --yes; without it ralph init asks.", ctx)


def _ask_all(project: "Path", detected: "Detected") -> dict[str, Any] | None:
    import sys

    from ralph.app.setup.init import dialogue
    from ralph.cli.keyboard import ask_line, signal_pipe
    from ralph.model.errors import Cancelled, ConfigError

    if not sys.stdin or not sys.stdin.isatty():
        raise ConfigError("init asks questions, but stdin is not a terminal.", "Use: ralph init --yes --agent NAME")
    click.echo()
    try:
        with signal_pipe() as interrupted:
            settings = dialogue(partial(ask_line, interrupted), say, project, detected)
    except (EOFError, KeyboardInterrupt):
        click.echo()
        raise Cancelled("nothing was written.") from None
    if settings is not None:
        click.echo()
    return settings
