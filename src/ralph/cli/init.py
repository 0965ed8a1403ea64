"""`ralph init`: the terminal side of the questions."""

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from ralph.app.init import Detected


@click.command("init")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing: take the flags, what is detected, and the defaults.")
@click.option("--agent", metavar="NAME", help="The agent's command.  [default: the first agent found on PATH]")
@click.option("--flag", "flags", metavar="F", multiple=True, help="A flag for the agent; may be repeated.")
@click.option(
    "--guardrail",
    "guardrails",
    metavar="CMD",
    multiple=True,
    help="A command that must pass; may be repeated.  [default: what is detected]",
)
@click.option("--max", "maximum", metavar="N", type=click.IntRange(min=1), help="Maximum iterations.  [default: 10]")
@click.option("--completion", metavar="TEXT", help="The completion response.  [default: DONE]")
@click.option("--scm-command", metavar="CMD", help="The version control program.  [default: git]")
@click.option("--scm-task", "scm_tasks", metavar="T", multiple=True, help="Such as commit or push; may be repeated.")
@click.option("--force", is_flag=True, help="Overwrite existing settings.")
@click.option("--no-detect", is_flag=True, help="Do not look for the project's own test and lint commands.")
@click.pass_context
def command(ctx: click.Context, yes: bool, force: bool, no_detect: bool, **given: Any) -> None:
    """Write .ralph/settings.json, asking as it goes.

    In a script, where nobody answers, use --yes with the flags below; they all need it but --no-detect.
    """
    from pathlib import Path

    from ralph.app.detect import guardrails, installed_agents
    from ralph.app.init import Detected, create, refuse_existing, without_questions

    project = Path.cwd()
    detected = Detected(installed_agents(), [] if no_detect else guardrails(project))
    if yes:
        if not force:
            refuse_existing(project)
        settings = without_questions(**given, detected=detected)
    else:
        _refuse_flags(ctx)
        settings = _ask_all(project, detected)
    if settings is not None:
        for line in create(project, settings):
            click.echo(line)


def _refuse_flags(ctx: click.Context) -> None:
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if source is click.core.ParameterSource.COMMANDLINE and parameter.name != "no_detect":
            raise click.UsageError(f"{parameter.opts[0]} goes with --yes; without it ralph init asks.", ctx)


def _ask_all(project: "Path", detected: "Detected") -> dict[str, Any] | None:
    import sys

    from ralph.app.init import dialogue
    from ralph.model.errors import Cancelled, ConfigError

    if not sys.stdin or not sys.stdin.isatty():
        raise ConfigError("init asks questions, but stdin is not a terminal.", "Use: ralph init --yes --agent NAME")
    click.echo()
    try:
        with _signal_pipe() as interrupted:
            settings = dialogue(partial(_ask, interrupted), click.echo, project, detected)
    except (EOFError, KeyboardInterrupt):
        click.echo()
        raise Cancelled("nothing was written.") from None
    if settings is not None:
        click.echo()
    return settings


@contextmanager
def _signal_pipe() -> "Generator[int]":
    """A pipe that becomes readable with a signal. Waiting for an answer alone would miss one that comes just before."""
    import os
    import signal

    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    before = signal.set_wakeup_fd(writer)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)


def _ask(interrupted: int, question: str) -> str:
    while True:
        click.echo(question, nl=False)
        try:
            answer = _typed_line(interrupted).decode().strip()
        except UnicodeDecodeError:
            click.echo("That is not UTF-8 text.")
            continue
        if all(character >= " " for character in answer):
            return answer
        click.echo("That has control characters in it, as the arrow keys make them.")


def _typed_line(interrupted: int) -> bytes:
    import os
    import select
    import sys

    keyboard, line = sys.stdin.fileno(), b""
    while not line.endswith(b"\n"):
        select.select([keyboard, interrupted], [], [])
        if not (typed := os.read(keyboard, 4096)):
            raise EOFError
        line += typed
    return line
