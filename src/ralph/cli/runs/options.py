"""The options that `ralph task run` and `ralph spec run` share."""

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from ralph.cli.choices import Choice
from ralph.cli.runs.sandbox_option import sandbox_option
from ralph.model.tasks import RunAs

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS = (
    click.option(
        "--as",
        "run_as",
        type=Choice(get_args(RunAs)),
        help="Run as a pipeline of roles, or as a chunk.  [default: pipeline if the task has criteria for a role]",
    ),
    click.option("--agent", help="The agent, instead of all others: a command, or the id of a tools.executors entry."),
    sandbox_option,
    click.option("--base", metavar="B", help="Start the spec's branch from this branch or commit, not from HEAD."),
    click.option("--detach", is_flag=True, help="Run in the background, and return at once."),
    click.option("--dry-run", is_flag=True, help="Print the stages and the first prompt; run nothing."),
    click.option("-V", "--verbose", is_flag=True, help="Also print prompts, commands and timings."),
    click.option("-q", "--quiet", is_flag=True, help="Print only why it failed."),
    click.option("--timestamps", is_flag=True, help="Put the time before each line."),
)


def run_options(command: F) -> F:
    for option in reversed(OPTIONS):
        command = option(command)
    return command
