"""The options that `ralph task run` and `ralph spec run` share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS = (
    click.option("--agent", help="The agent of roles that name none: a command, or the id of a tools.executors entry."),
    click.option("--detach", is_flag=True, help="Start it in the background, and return at once."),
    click.option("--dry-run", is_flag=True, help="Print the stages and the first prompt; run nothing."),
    click.option("-V", "--verbose", is_flag=True, help="Say more: prompts, commands, timings."),
    click.option("--run-id", hidden=True, help="The id that --detach has told."),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing but why it ended badly."),
)


def run_options(command: F) -> F:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def given_flags(agent: str | None) -> dict[str, Any]:
    return {} if agent is None else {"agent": {"command": agent}}
