"""`ralph bus`: what agents, ralph and people tell each other about a task."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.lazy import GuardedGroup
from ralph.cli.masked import masked
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.store.bus_format import Gap, Message

task_dir_option = click.option(
    "--task-dir", type=click.Path(path_type=Path), help="The task's directory (default: TASK_FOLDER)."
)
project_option = click.option("--project", is_flag=True, help="Use the bus of the project, in the parent directory.")


@click.group(cls=GuardedGroup)
def command() -> None:
    """Post and read messages on the bus of a task.

    \b
    ralph bus post --type FACT "The parser accepts empty files."
    ralph bus read --follow
    """  # noqa: D301 - click reads the backspace characters


@command.command()
@task_dir_option
@project_option
@click.option("--type", "kind", required=True, help="One word: INFO, WARNING, ERROR, FACT ...")
@click.argument("body")
def post(task_dir: Path | None, project: bool, kind: str, body: str) -> None:
    """Post BODY, or standard input with -, with secrets masked, and print the id of the message.

    \b
    ralph bus post --type FACT "The parser accepts empty files."
    make test 2>&1 | tail -n 20 | ralph bus post --type ERROR -
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.bus import open_bus
    from ralph.app.bus import post as post_message

    if body == "-":
        body = sys.stdin.buffer.read().decode(errors="replace").removesuffix("\n")
    click.echo(post_message(open_bus(task_dir, project=project), kind=kind, body=masked(body)).id)


@command.command()
@task_dir_option
@project_option
@click.option("-f", "--follow", is_flag=True, help="Keep reading new messages.")
@click.option("--type", "kind", help="Only messages of this type.")
@click.option(
    "--since", metavar="ID|TIME", help="Only after this message, or from this time on; 30m is half an hour ago."
)
@click.option("-n", "--limit", type=click.IntRange(min=0), help="Only the last N messages.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list; with --follow, one object per line.")
def read(
    task_dir: Path | None,
    project: bool,
    follow: bool,
    kind: str | None,
    since: str | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """Print messages, the oldest first.

    \b
    ralph bus read --type ERROR -n 5
    ralph bus read --since 30m --follow
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.bus import message_json, messages, open_bus

    bus = open_bus(task_dir, project=project, on_gap=_tell)
    found = messages(bus, kind=kind, since=since, limit=limit, follow=follow)
    if not as_json:
        for message in found:
            _show(message)
        return
    import json

    from ralph.cli.masked import masked_data

    if follow:
        for message in found:
            click.echo(json.dumps(masked_data(message_json(message))))
    else:
        click.echo(json.dumps([masked_data(message_json(message)) for message in found], indent=2))


def _show(message: "Message") -> None:
    import time

    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(message.ts))
    run = [f"run {message.run}"] if message.run else []
    say(f"── {' · '.join([message.type, when, *run, message.id])} ──")
    say(message.body.rstrip("\n"))


def _tell(gap: "Gap") -> None:
    say(f"ralph: skipped {gap.size} bytes at byte {gap.offset} of the bus: {gap.problem}.", err=True)
