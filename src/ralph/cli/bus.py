"""`ralph bus`: what agents, ralph and people tell each other about a task."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ralph.store.bus_format import Gap, Message

task_dir_option = click.option(
    "--task-dir", type=click.Path(path_type=Path), help="The task's directory (default: TASK_FOLDER)."
)
project_option = click.option("--project", is_flag=True, help="The bus of the project, beside the task's directory.")


@click.group()
def command() -> None:
    """Post to the message bus of a task, and read it."""


@command.command()
@task_dir_option
@project_option
@click.option("--type", "kind", required=True, help="One word: INFO, WARNING, ERROR, FACT ...")
@click.argument("body")
def post(task_dir: Path | None, project: bool, kind: str, body: str) -> None:
    """Post BODY, or with - what comes on standard input, and print the message's id.

    \b
    ralph bus post --type FACT "The parser accepts empty files."
    make test 2>&1 | tail -n 20 | ralph bus post --type ERROR -
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.bus import open_bus
    from ralph.app.bus import post as post_message

    if body == "-":
        body = sys.stdin.buffer.read().decode(errors="replace").removesuffix("\n")
    click.echo(post_message(open_bus(task_dir, project=project), kind=kind, body=body).id)


@command.command()
@task_dir_option
@project_option
@click.option("-f", "--follow", is_flag=True, help="Go on with the messages that come.")
@click.option("--type", "kind", help="Only messages of this type.")
@click.option(
    "--since", metavar="ID|TIME", help="Only after this message, or from this time on; 30m is half an hour ago."
)
@click.option("-n", "--limit", type=click.IntRange(min=0), help="Only the last so many.")
@click.option("--json", "as_json", is_flag=True, help="A JSON list; with --follow, an object on each line.")
def read(
    task_dir: Path | None,
    project: bool,
    follow: bool,
    kind: str | None,
    since: str | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """Print messages, the oldest first."""
    from ralph.app.bus import message_json, messages, open_bus

    bus = open_bus(task_dir, project=project, on_gap=_tell)
    found = messages(bus, kind=kind, since=since, limit=limit, follow=follow)
    if not as_json:
        for message in found:
            _show(message)
        return
    import json

    if follow:
        for message in found:
            click.echo(json.dumps(message_json(message)))
    else:
        click.echo(json.dumps([message_json(message) for message in found], indent=2))


def _show(message: "Message") -> None:
    import time

    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(message.ts))
    run = [f"run {message.run}"] if message.run else []
    click.echo(f"── {' · '.join([message.type, when, *run, message.id])} ──")
    click.echo(message.body.rstrip("\n"))


def _tell(gap: "Gap") -> None:
    click.echo(f"ralph: skipped {gap.size} bytes at byte {gap.offset} of the bus: {gap.problem}.", err=True)
