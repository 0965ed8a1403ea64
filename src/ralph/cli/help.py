"""`ralph help`: the same text as --help, by the name of the command."""

import click


@click.command("help")
@click.argument("words", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show what ralph can do, or the help of COMMAND.

    \b
    ralph help
    ralph help run
    ralph help task create
    """  # noqa: D301 - click reads the backspace characters
    group = ctx.parent
    assert group  # noqa: S101 - it is a command of the program's group
    for word in words:
        if not isinstance(group.command, click.Group):
            raise click.UsageError(f"{group.command_path} has no command {word!r}. See: {group.command_path} --help")
        _, found, _ = group.command.resolve_command(group, [word, "--help"])
        assert found  # noqa: S101 - otherwise it has failed
        group = click.Context(found, info_name=word, parent=group)
    click.echo(group.get_help())
