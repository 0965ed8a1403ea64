"""The group of all commands, and the one place where errors become exit codes."""

import errno
import os
import sys
import threading
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn, TextIO

import click

from ralph import __version__
from ralph.cli.changed import named_changes
from ralph.cli.lazy import LazyGroup
from ralph.model.errors import ConfigError, RalphError, StateError

# name: (module, one line for the list of commands). A new command is one file and one line here.
COMMANDS = {
    "run": ("ralph.cli.runs.run", "Run an agent in a loop until the work is proven done."),
    "supervise": ("ralph.cli.runs.supervise", "Restart a command until the file DONE exists."),
    "spec": ("ralph.cli.specs.group", "Plan work as specs with tasks, and run them."),
    "task": ("ralph.cli.tasks.group", "Write tasks with completion criteria, and run them."),
    "chunk": ("ralph.cli.tasks.group", "Another name for task."),
    "prd": ("ralph.cli.prd.group", "Plan a feature as stories, and run them with a fresh review of each."),
    "project": ("ralph.cli.projects.group", "List and change the projects that ralph knows."),
    "resume": ("ralph.cli.runs.resume", "Continue a stopped or paused run, also with a higher limit."),
    "pause": ("ralph.cli.runs.pause", "Pause a run between two actions."),
    "guide": ("ralph.cli.runs.guide", "Add a text to the next prompt of a run."),
    "approve": ("ralph.cli.runs.approve", "Approve a criterion that only a person can judge."),
    "reject": ("ralph.cli.runs.reject", "Reject work that waits for a person, with the reason."),
    "retry": ("ralph.cli.runs.retry", "Start a run again from the beginning, with the same options."),
    "drive": ("ralph.cli.runs.drive", "Drive a stored run, as --detach does."),
    "status": ("ralph.cli.runs.status", "Show what runs now, and what ran last."),
    "cancel": ("ralph.cli.runs.cancel", "Stop a run, and every run that it started."),
    "runs": ("ralph.cli.runs.listing", "List what ran, and why it stopped."),
    "show": ("ralph.cli.runs.show", "Show one run: its iterations, and the result of each check."),
    "cost": ("ralph.cli.runs.cost", "Show the cost, by spec, task, iteration and day."),
    "logs": ("ralph.cli.runs.logs", "Print the output of the agent in a run."),
    "review": ("ralph.cli.reviews.group", "Review a change, and export the findings of reviews."),
    "verify": ("ralph.cli.proof.again", "Run the checks on a commit, as if an agent had called it done."),
    "proof": ("ralph.cli.proof.group", "Show, verify and export the records of proofs."),
    "guard": ("ralph.cli.guard.group", "Let agents outside ralph stop only when their work is proven."),
    "state": ("ralph.cli.state.group", "Export and import the state directory of a spec."),
    "bus": ("ralph.cli.bus", "Post and read messages on the bus of a task."),
    "init": ("ralph.cli.setup.init", "Create .ralph/settings.json from your answers to a few questions."),
    "config": ("ralph.cli.setup.config", "Show, change, locate and check the settings."),
    "agents": ("ralph.cli.setup.agents", "List the agents that ralph knows, and what is installed."),
    "demo": ("ralph.cli.setup.demo", 'Watch a loop catch a false "done" in a temporary repository.'),
    "doctor": ("ralph.cli.setup.doctor", "Check whether ralph can run here, and name what is missing."),
    "help": ("ralph.cli.help", "Show the help of a command."),
    "completion": ("ralph.cli.setup.completion", "Print the shell completion script for bash, zsh or fish."),
}
GONE = (errno.EPIPE, errno.EIO)
"""The error numbers of a write to a reader or a terminal that is gone."""
UNREAD = 141
STARTS_PROCESSES = "ralph.proc.guard"
"""The module that every command imports before it starts a process that must not outlive it."""


@click.group(cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-v", "--version", message="ralph %(version)s")
def cli() -> None:
    """Run a coding agent in a loop until the work is proven done.

    \b
    ralph init
    ralph run -p "Make the tests pass. When they do, end with <response>DONE</response>"
    ralph help run
    """  # noqa: D301 - click reads the backspace characters


def run_cli() -> None:
    # A stream that nobody opened (`ralph runs >&-`) takes everything, like any other that nobody reads.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets an escape instead, never a traceback.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = _performed()
    for stream in (sys.stdout, sys.stderr):
        _write_the_rest(stream)
    _leave(code)


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _performed() -> int:
    """Run the command, report what went wrong, and return the exit code."""
    try:
        _require_directory()
        code = cli.main(prog_name="ralph", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except RalphError as error:
        return _told(error)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Aborted.", err=True)
        return 130
    except OSError as error:
        # If the reader is gone (`ralph logs | head`), there is nobody to print anything for.
        return UNREAD if error.errno in GONE else _told(_refused(error))
    return code if isinstance(code, int) else 0


def _require_directory() -> None:
    try:
        Path.cwd()
    except FileNotFoundError:
        raise ConfigError("the current directory is gone.", "Change to one that exists.") from None


def _leave(code: int) -> NoReturn:
    """Exit. A command that has only looked leaves its memory to the system: to free its objects one by one takes up to
    a sixth of its time. One that may have started a process or a thread exits normally, so that they are cleaned up.
    """
    if STARTS_PROCESSES not in sys.modules and threading.active_count() == 1:
        os._exit(code)
    sys.exit(code)


def _told(error: RalphError) -> int:
    """Print the error, if standard error can be written, and return the exit code."""
    from ralph.cli.display.fitting import fitted
    from ralph.cli.saying import safe_text

    with suppress(OSError):
        for problem in filter(None, (str(error), named_changes(error))):
            click.echo(fitted(safe_text(f"ralph: {problem}"), stream=sys.stderr), err=True)
    return error.exit_code


def _refused(error: OSError) -> StateError:
    """What the system refused, such as a write to a full disk."""
    where = f" ({error.filename})" if error.filename else ""
    return StateError(f"cannot continue: {error.strerror or error}{where}.", "Fix that, then try again.")


def _write_the_rest(stream: TextIO) -> None:
    """Write what is left in Python's buffer, or drop it: otherwise Python would try again at exit, fail, and replace
    the exit code by its own. Every line was flushed when it was printed, so something is left only after a failure.
    """
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
