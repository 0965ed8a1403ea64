"""The options that say which agent's hooks are meant, and where."""

from collections.abc import Callable
from typing import Any

import click

from ralph.cli.choices import Choice

Command = Callable[..., Any]

agent_option = click.option(
    "--agent",
    type=Choice(["claude", "codex"]),
    help="The agent.  [default: the one in the settings, else the installed ones]",
)


def scope_options(command: Command) -> Command:
    project = click.option(
        "--project", "scope", flag_value="project", default="project", help="In this project (default)."
    )
    user = click.option("--user", "scope", flag_value="user", help="In your home directory, for all projects.")
    return project(user(command))
