"""`ralph supervise`: the supervise recipe."""

from pathlib import Path
from typing import Any

import click

SECONDS = click.FloatRange(min=0)


@click.command("supervise", context_settings={"ignore_unknown_options": False})
@click.option("--task-dir", help="Where DONE, the markers and the message bus lie.  [default: this directory]")
@click.option("--project", "project_id", help="The project's name in messages.")
@click.option("--task", "task_id", help="The task's name in messages.")
@click.option("--max-restarts", type=click.IntRange(min=0), help="Starts before giving up.  [default: 100]")
@click.option("--wait-timeout", type=SECONDS, help="Seconds to wait for child runs after DONE.  [default: 300]")
@click.option("--poll-interval", type=click.FloatRange(min=0.01), help="Seconds between looks at them.  [default: 1]")
@click.option("--restart-delay", type=SECONDS, help="Seconds between two starts.  [default: 1]")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds that one start may last.")
@click.option(
    "--backoff", type=click.Choice(["fixed", "exponential"]), help="Whether the delay grows.  [default: fixed]"
)
@click.option("-p", "--prompt", help="Supervise an agent with this prompt, instead of a command.")
@click.option("-f", "--prompt-file", help="The same with a file, read again at each start.")
@click.option("--agent", help="The agent: a command, or the id of a tools.executors entry.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but why it ended badly.")
@click.argument("command_line", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
def command(
    task_dir: str | None,
    prompt: str | None,
    prompt_file: str | None,
    agent: str | None,
    quiet: bool,
    command_line: tuple[str, ...],
    **given: Any,
) -> int:
    """Restart a command, or an agent, until the file DONE says that it is enough.

    Exit code 0 does not stop it. Inside, $TASK_FOLDER is the task directory: `touch $TASK_FOLDER/DONE` ends the loop;
    exit code 42, the file WAIT_WITHOUT_RESTART or a bus message wait_without_restart stop it until `ralph resume`.

    \b
    ralph supervise --task-dir task-001 -- ./agent.sh
    ralph supervise -f PROMPT.md --max-restarts 20
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.runs import start
    from ralph.app.supervise import plan_supervise
    from ralph.cli.screen import make_screen
    from ralph.model.verdicts import exit_code

    plan = plan_supervise(
        Path.cwd(),
        command=command_line,
        prompt=prompt,
        prompt_file=prompt_file,
        task_dir=task_dir,
        flags={} if agent is None else {"agent": {"command": agent}},
        limits={name: value for name, value in given.items() if value is not None},
    )
    return exit_code(start(plan, make_screen(plan.settings, quiet=quiet)))
