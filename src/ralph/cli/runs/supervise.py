"""`ralph supervise`: the supervise recipe."""

import os
from pathlib import Path
from typing import Any

import click

from ralph.cli.choices import Choice
from ralph.cli.durations import DurationType, duration
from ralph.cli.here import from_project, here
from ralph.cli.runs.sandbox_option import sandbox_option


@click.command("supervise", context_settings={"ignore_unknown_options": False})
@click.option(
    "--task-dir",
    help="The directory of DONE, the markers and the message bus.  [default: TASK_FOLDER, or this directory]",
)
@click.option("--project", "project_id", help="The project's name in messages.")
@click.option("--task", "task_id", help="The task's name in messages.")
@click.option("--max-restarts", type=click.IntRange(min=0), help="The limit of starts.  [default: 100]")
@click.option("--wait-timeout", type=duration, help="How long to wait for child runs after DONE.  [default: 5m]")
@click.option(
    "--poll-interval", type=DurationType(least=0.01), help="How often to check child runs and DONE.  [default: 1s]"
)
@click.option("--restart-delay", type=duration, help="How long to wait between two starts.  [default: 1s]")
@click.option("--timeout", type=DurationType(above=0), help="The time limit of one start, such as 30m.")
@click.option("--backoff", type=Choice(["fixed", "exponential"]), help="Whether the delay doubles.  [default: fixed]")
@click.option("-p", "--prompt", help="Supervise an agent with this prompt, instead of a command.")
@click.option("-f", "--prompt-file", help="A file with the prompt; ralph reads it at each start.")
@sandbox_option
@click.option("--agent", help="The agent: a command, or the id of a tools.executors entry.")
@click.option("--detach", is_flag=True, help="Run in the background, and return at once.")
@click.option("-q", "--quiet", is_flag=True, help="Print only why it failed.")
@click.option("--timestamps", is_flag=True, help="Put the time before each line.")
@click.argument("command_line", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
def command(
    task_dir: str | None,
    prompt: str | None,
    prompt_file: str | None,
    sandbox: bool | None,
    agent: str | None,
    detach: bool,
    quiet: bool,
    timestamps: bool,
    command_line: tuple[str, ...],
    **given: Any,
) -> int:
    """Restart a command, or an agent, until the file DONE exists in the task directory.

    Exit code 0 does not end the loop. In the command, $TASK_FOLDER is the task directory: `touch $TASK_FOLDER/DONE`
    ends the loop. Exit code 42, the file WAIT_WITHOUT_RESTART or a bus message wait_without_restart stop it until
    `ralph resume`.

    \b
    ralph supervise --task-dir task-001 -- ./agent.sh
    ralph supervise -f PROMPT.md --max-restarts 20
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs.measured import budget_warning
    from ralph.app.runs.supervise import plan_supervise
    from ralph.app.sandbox import sandbox_flags
    from ralph.cli.display.screen import make_screen
    from ralph.cli.runs.away import start_away
    from ralph.cli.runs.driving import start
    from ralph.cli.runs.unsandboxed import say_unsandboxed
    from ralph.cli.stores import opened_store

    project = here()
    if prompt_file is not None:
        prompt_file = from_project(project, prompt_file)
    if command_line and os.sep in command_line[0] and project != Path.cwd():
        # It starts at the project's top.
        command_line = (str(Path.cwd() / command_line[0]), *command_line[1:])
    plan = plan_supervise(
        project,
        command=command_line,
        prompt=prompt,
        prompt_file=prompt_file,
        task_dir=task_dir or os.environ.get("TASK_FOLDER") or str(Path.cwd()),
        flags=sandbox_flags(wanted=sandbox) | ({} if agent is None else {"agent": {"command": agent}}),
        limits={name: value for name, value in given.items() if value is not None},
    )
    screen = make_screen(plan.settings, quiet=quiet, timestamps=timestamps)
    say_unsandboxed(plan, project, screen)
    if warning := budget_warning(plan.settings, plan.agent, " ".join(command_line[:1])):
        screen.note(warning)
    with opened_store() as store:
        if detach:
            return start_away(store, project, plan)
        return start(store, project, plan, screen)
