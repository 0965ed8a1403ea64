"""The group of all commands, and the one place where errors become exit codes."""

import os
import sys
from io import TextIOWrapper
from pathlib import Path

import click

from ralph import __version__
from ralph.cli.lazy import LazyGroup
from ralph.model.errors import RalphError

# name: (module, one line for the list of commands). A new command is one file and one line here.
COMMANDS = {
    "run": ("ralph.cli.run", "Run an agent in a loop until the work is proven done."),
    "supervise": ("ralph.cli.supervise", "Restart a command until the file DONE says that it is enough."),
    "spec": ("ralph.cli.spec", "Write down what is to be built, and run it."),
    "task": ("ralph.cli.task", "Write tasks with criteria for done, and run them."),
    "resume": ("ralph.cli.resume", "Continue an interrupted run where it stopped."),
    "retry": ("ralph.cli.retry", "Start a run again from the beginning, with the same options."),
    "status": ("ralph.cli.status", "See what runs now, and what ran last."),
    "cancel": ("ralph.cli.cancel", "Stop a run, and all that it started."),
    "runs": ("ralph.cli.runs", "List what ran, and why it stopped."),
    "show": ("ralph.cli.show", "Show one run: its iterations, and what each check saw."),
    "logs": ("ralph.cli.logs", "Print what the agent said in a run."),
    "bus": ("ralph.cli.bus", "Post to the message bus of a task, and read it."),
    "init": ("ralph.cli.init", "Write .ralph/settings.json, asking as it goes."),
    "config": ("ralph.cli.config", "Show, locate and check the settings."),
    "agents": ("ralph.cli.agents", "List the agents that ralph knows, and what is installed."),
    "demo": ("ralph.cli.demo", 'Watch a loop catch a false "done" in a temporary repository.'),
    "doctor": ("ralph.cli.doctor", "Check what this machine has, and say what is missing."),
    "completion": ("ralph.cli.completion", "Print the shell completion script for bash, zsh or fish."),
}


@click.group(cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-v", "--version", message="ralph %(version)s")
def cli() -> None:
    """Run a coding agent in a loop until the work is proven done."""


def run_cli() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets it spelt out, never a traceback.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        Path.cwd()
    except FileNotFoundError:
        click.echo("ralph: the current directory is gone. Change to one that exists.", err=True)
        sys.exit(2)
    try:
        code = cli.main(prog_name="ralph", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except RalphError as error:
        click.echo(f"ralph: {error}", err=True)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Aborted.", err=True)
        code = 130
    except BrokenPipeError:
        # The reader has gone (`ralph logs | head`): nothing is left to say, and nobody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    sys.exit(code if isinstance(code, int) else 0)
