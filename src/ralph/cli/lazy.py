"""Groups of commands, each imported only when it is asked for."""

import os
from importlib import import_module
from typing import Any

import click

VARIABLE = "RALPH_RUN_ID"


class GuardedGroup(click.Group):
    """A group that refuses, inside a run, to change what the run is judged by."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except click.UsageError as error:
            from ralph.cli.choices import nearest_word

            if near := nearest_word(args[0], self.list_commands(ctx)):
                raise click.UsageError(f"{error.message} Did you mean {near}?", ctx) from None
            raise
        if VARIABLE in os.environ and not isinstance(command, click.Group) and rest not in (["--help"], ["-h"]):
            from ralph.app.inside_run import refuse_inside_run

            refuse_inside_run(" ".join([*ctx.command_path.split()[1:], name or ""]))
        return name, command, rest


class LazyGroup(GuardedGroup):
    """A group whose `table` is name: (module, one line for the list of commands); a module's command is its
    `command`.
    """

    def __init__(self, *args: Any, table: dict[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        if cmd_name not in self.table:
            return None
        return import_module(self.table[cmd_name][0]).command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.table.items()])
