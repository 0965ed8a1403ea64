"""The options of every command that plans a spec."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def planning_options(command: Command) -> Command:
    """The command with `--agent`, `--yes`, `--answers`, `-V` and `-q`."""
    for option in reversed(
        (
            click.option("--agent", help="The agent that plans: a command, or the id of a tools.executors entry."),
            click.option(
                "-y", "--yes", is_flag=True, help="Do not ask: accept the planner's recommendations and drafts."
            ),
            click.option(
                "--answers",
                metavar="FILE",
                help="A text with answers to expected questions. At a terminal the planner asks the rest; elsewhere "
                "its recommendations are used, as with --yes.",
            ),
            click.option("-V", "--verbose", is_flag=True, help="Also print prompts, commands and timings."),
            click.option("-q", "--quiet", is_flag=True, help="Print only the questions, and why it failed."),
        )
    ):
        command = option(command)
    return command
