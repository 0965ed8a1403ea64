"""Posting to a message bus, and reading it."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ralph.app.moments import read_moment
from ralph.model.errors import ConfigError
from ralph.store.bus import Bus, OnGap, project_bus, task_bus
from ralph.store.bus_format import Message, check_word, is_id, iso


def open_bus(
    task_dir: Path | None,
    *,
    project: bool,
    on_gap: OnGap | None = None,
    environ: Mapping[str, str] | None = None,
) -> Bus:
    """The bus of the task directory, or of the project around it. Without a directory, that of the current task."""
    given = task_dir or _task_at_hand(os.environ if environ is None else environ)
    if not given.is_dir():
        raise ConfigError(f"there is no task directory {given}.", "Create it, or give another with --task-dir.")
    return (project_bus if project else task_bus)(given, on_gap)


def post(bus: Bus, *, kind: str, body: str, environ: Mapping[str, str] | None = None) -> Message:
    environ = os.environ if environ is None else environ
    return bus.post(kind, body, environ.get("RALPH_RUN_ID", ""))


def messages(
    bus: Bus, *, kind: str | None, since: str | None, limit: int | None, follow: bool = False
) -> Iterator[Message]:
    """The messages that match, or the last `limit` of them. With `follow` it then waits for new ones and
    yields them, without an end.
    """
    if kind is not None:
        check_word("type", kind)
    in_time = _after(since) if since else _always
    there = bus.read(type=kind)
    found = [message for message in there if in_time(message)]
    yield from found if limit is None else found[max(0, len(found) - limit) :]
    if follow:
        yield from filter(in_time, bus.follow(since=there[-1].id if there else None, type=kind))


def message_json(message: Message) -> dict[str, str]:
    return {
        "id": message.id,
        "type": message.type,
        "ts": iso(message.ts),
        "run": message.run,
        "project": message.project,
        "task": message.task,
        "body": message.body,
    }


def _task_at_hand(environ: Mapping[str, str]) -> Path:
    if folder := environ.get("TASK_FOLDER"):
        return Path(folder)
    raise ConfigError("no task directory was given.", "Give --task-dir DIR, or set TASK_FOLDER.")


def _after(since: str) -> Callable[[Message], bool]:
    if is_id(since):
        return lambda message: message.id > since
    moment = _moment(since)
    return lambda message: message.ts >= moment


def _always(_message: Message) -> bool:
    return True


def _moment(text: str) -> float:
    try:
        return read_moment(text)
    except ValueError:
        raise ConfigError(
            f"{text!r} is neither a message's id nor a time.",
            "Give an id, a time such as 2026-02-05T10:00, or an age such as 30m.",
        ) from None
