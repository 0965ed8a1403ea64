"""Settings and tasks that were changed during a run: named at the next start, then accepted or undone.

A change to how git reaches remotes is reported only when ralph is about to use a remote: nothing else depends on it.
"""

import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph.config.files import settings_files
from ralph.config.layers import load
from ralph.config.merge import leaves
from ralph.config.read import parse_settings
from ralph.config.redact import redacted
from ralph.git.remote_settings import FILE as GIT
from ralph.git.remote_settings import differences, undoing
from ralph.loop.remote_trust import changed_remotes
from ralph.loop.trust import SPEC, TASK, look, open_changes
from ralph.model.errors import ConfigError
from ralph.model.words import count
from ralph.store.files import cannot_write, write_new
from ralph.store.projects import find_project, known_project
from ralph.store.sessions import accept_settings
from ralph.store.sql import Sql, Store
from ralph.store.tasks import change, change_spec_config, find_spec, put_back_task
from ralph.store.trusted_changes import TrustedChange, keeping_change

SHOWN = 3
LONGEST = 80
MISSING = object()


class ChangedDuringRun(ConfigError):
    """Something that runs here trust was changed during a run, and nobody has decided about it."""


class ShownChange(Struct, frozen=True):
    """One changed thing, for people."""

    title: str
    lines: tuple[str, ...]
    """The differences, with secrets masked."""


def refuse_changed(store: Store, project_id: str, project: Path) -> None:
    """Raise an error that names what was changed during a run, until a person has decided about it."""
    changes = _by_name(open_changes(store, project_id, project))
    found = [each for name, each in changes.items() if name != GIT]
    if not found:
        return
    first = _shown(store, project_id, project, found[0][0])
    more = "; ..." if len(first.lines) > SHOWN else ""
    others = "".join(f" {each[0].name} was changed, too." for each in found[1:])
    raise ChangedDuringRun(
        f"{first.title}: {'; '.join(first.lines[:SHOWN])}{more}.{others}",
        "Accept it: ralph config accept. Restore it: ralph config restore",
    )


def refuse_changed_remotes(store: Store, project: Path) -> None:
    """Raise a ConfigError if git was told during a run to reach remotes in another way, until a person has decided
    about it.
    """
    known = find_project(store, project)
    problem = changed_remotes(store, known.id, project) if known else None
    if problem:
        raise problem


def accept(store: Store, project: Path) -> list[ShownChange]:
    """Trust the current state from now on."""
    project_id = known_project(store, project)
    done: list[ShownChange] = []
    for found in _by_name(open_changes(store, project_id, project)).values():
        done.append(_shown(store, project_id, project, found[0]))
        now = look(store, project_id, project, [found[0].name])[found[0].name].data
        store.write(*_settling(project_id, found, "accepted", now), sync=True)
    return done + _accepted_in_sessions(store, project_id, project)


def _accepted_in_sessions(store: Store, project_id: str, project: Path) -> list[ShownChange]:
    """Accept the settings in sessions, because the stop guard uses the settings with which a session began."""
    try:
        others = accept_settings(store, project_id, load(project).merged)
    except ConfigError:
        # As long as they cannot be read, the earlier ones apply.
        return []
    return [ShownChange(f"the settings, in {count(others, 'session')} of the stop guard", ())] if others else []


def restore(store: Store, project: Path) -> list[ShownChange]:
    """Restore everything as it was when the run began. What git was told stays: the lines say how to undo it."""
    project_id = known_project(store, project)
    done: list[ShownChange] = []
    for found in _by_name(open_changes(store, project_id, project)).values():
        if found[0].name == GIT:
            done.append(_by_hand(store, project_id, project, found[0]))
            continue
        done.append(_shown(store, project_id, project, found[0]))
        before, name = found[0].before, found[0].name
        if name.startswith(TASK):
            _put_back_task(store, project_id, name.removeprefix(TASK), before)
        elif name.startswith(SPEC):
            _put_back_spec(store, project_id, name.removeprefix(SPEC), before)
        else:
            _put_back_file(dict(settings_files(project, os.environ))[name], before)
        store.write(*_settling(project_id, found, "restored", before), sync=True)
    return done


def _by_name(changes: list[TrustedChange]) -> dict[str, list[TrustedChange]]:
    """The changes by name. Several runs may have seen the same change; the oldest of them knows what was there
    before.
    """
    found: dict[str, list[TrustedChange]] = {}
    for each in changes:
        found.setdefault(each.name, []).append(each)
    return found


def _settling(project_id: str, found: list[TrustedChange], how: str, now: bytes | None) -> list[Sql]:
    return [keeping_change(project_id, replace(each, settled=how, after=now)) for each in found]


def _put_back_task(store: Store, project_id: str, task_id: str, before: bytes | None) -> None:
    if before is None:
        raise ConfigError(
            f"task {task_id} did not exist when the run started.", f"Delete it: ralph task delete {task_id}"
        )
    change(store, project_id, lambda: put_back_task(project_id, task_id, before))


def _put_back_spec(store: Store, project_id: str, spec_id: str, before: bytes | None) -> None:
    """Restore the spec's overrides. A deleted spec has taken its tasks along, and they are reported themselves."""
    if before is not None and find_spec(store, project_id, spec_id):
        config = msgspec.json.decode(before)
        change(store, project_id, lambda: [change_spec_config(project_id, spec_id, config)])


def _put_back_file(path: Path, before: bytes | None) -> None:
    """Restore the file, whatever is there now: a link is replaced, not followed, and a directory is moved aside."""
    token = secrets.token_hex(4)
    fresh = path.with_name(f".{path.name}.{token}")
    try:
        if path.is_dir() and not path.is_symlink():
            path.rename(path.with_name(f"{path.name}.aside-{token}"))
        if before is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(exist_ok=True)
        try:
            write_new(fresh, before)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error, "Restore it by hand, or accept it: ralph config accept") from error


def _by_hand(store: Store, project_id: str, project: Path, changed: TrustedChange) -> ShownChange:
    """The commands for a person. Ralph does not write git's settings."""
    now = look(store, project_id, project, [GIT])[GIT].data
    commands = tuple(undoing(name, changed.before) for name in differences(changed.before, now))
    return ShownChange(f"not {GIT}, which was changed during run {changed.run_id}. Do it by hand:", commands)


def _shown(store: Store, project_id: str, project: Path, changed: TrustedChange) -> ShownChange:
    now = look(store, project_id, project, [changed.name])[changed.name].data
    title = f"{changed.name} was changed during run {changed.run_id}"
    return ShownChange(title, tuple(_differences(changed.name, changed.before, now)))


def _differences(name: str, before: bytes | None, now: bytes | None) -> Iterator[str]:
    if name == GIT:
        yield from differences(before, now).values()
        return
    if now is None:
        yield "it is gone"
        return
    old, new = _data(name, before), _data(name, now)
    if new is None:
        yield "it can no longer be read"
        return
    if before is None:
        yield "it was not there before"
    was, is_now = (dict(leaves(redacted(each or {}))) for each in (old, new))
    differing = [path for path in {**was, **is_now} if was.get(path, MISSING) != is_now.get(path, MISSING)]
    for path in differing:
        yield f"{'.'.join(path)} {_value(was, path)} → {_value(is_now, path)}"
    if not differing:
        # The rest is comments, order, or a secret that is not shown.
        yield "its text differs"


def _data(name: str, raw: bytes | None) -> dict[str, Any] | None:
    """The content as plain data; None if it cannot be read in its form."""
    if raw is None:
        return {}
    if name.startswith(TASK):
        return _task_data(msgspec.json.decode(raw))
    if name.startswith(SPEC):
        return _json_data(raw)
    try:
        return parse_settings(raw, name)
    except ConfigError:
        return None


def _json_data(raw: bytes) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.DecodeError:
        return None


def _task_data(row: dict[str, Any]) -> dict[str, Any] | None:
    """The task's data, if it can be read. The structured parts of its row are JSON text, which may be damaged."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        is_text = key in ("title", "description", "assignee", "spec_id") or not isinstance(value, str)
        try:
            found[key] = value if is_text else json.loads(value)
        except ValueError:
            return None
    return found


def _value(values: dict[tuple[str, ...], Any], path: tuple[str, ...]) -> str:
    if path not in values:
        return "(not set)"
    text = json.dumps(values[path], ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
