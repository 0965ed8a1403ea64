"""`ralph completion`: the script that a shell loads."""

import click

from ralph.cli.choices import Choice

COMPLETE_VAR = "_RALPH_COMPLETE"
"""The variable that click looks for when the program is named `ralph`."""


@click.command("completion")
@click.argument("shell", type=Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL.

    Put it where the shell looks for completions, then open a new shell:

    \b
      bash   mkdir -p ~/.local/share/bash-completion/completions
             ralph completion bash > ~/.local/share/bash-completion/completions/ralph
      zsh    mkdir -p ~/.zfunc
             ralph completion zsh > ~/.zfunc/_ralph
             and in ~/.zshrc, before compinit: fpath+=(~/.zfunc)
      fish   mkdir -p ~/.config/fish/completions
             ralph completion fish > ~/.config/fish/completions/ralph.fish

    Or try it in this shell only (bash 4.4 or newer, or zsh):

    \b
      eval "$(ralph completion bash)"
      eval "$(ralph completion zsh)"
    """  # noqa: D301 - click reads the backspace characters
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    complete = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[shell]
    click.echo(complete(ctx.find_root().command, {}, "ralph", COMPLETE_VAR).source())
