"""`ralph task edit`: a task in the user's own editor; what they wrote is never lost."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.here import here
from ralph.cli.saying import say

if TYPE_CHECKING:
    from ralph.model.tasks import Task
    from ralph.store.sql import Store


@click.command("edit")
@click.argument("task_id", metavar="ID")
def command(task_id: str) -> None:
    """Edit the task ID in $VISUAL, $EDITOR or vi. ralph checks it before it saves; the id stays.

    \b
    ralph task edit TASK-001
    EDITOR=nano ralph task edit TASK-001
    """  # noqa: D301 - click reads the backspace characters
    from ralph.app.tasks.edit import editable, task_to_edit
    from ralph.app.tasks.tasks import warnings_of
    from ralph.cli.stores import opened_store

    project = here()
    with opened_store() as store:
        task = task_to_edit(store, project, task_id)
        path = _draft(task.id, editable(task))
        edited = _edited(store, project, task, path)
    with suppress(FileNotFoundError):
        path.unlink()
    if edited is None:
        click.echo("Nothing changed.")
        return
    for warning in warnings_of(edited):
        say(f"ralph: {warning}.", err=True)
    say(f"Saved {edited.id}.")


def _edited(store: "Store", project: Path, task: "Task", path: Path) -> "Task | None":
    from ralph.app.tasks.edit import save_edited
    from ralph.app.tasks.text import read_text
    from ralph.model.errors import RalphError

    while True:
        _open_editor(path)
        try:
            return save_edited(store, project, task, read_text(str(path), "the edited text"))
        except RalphError as error:
            if not _edit_again(error):
                raise type(error)(error.message, f"{error.hint} {_kept(path)}".strip()) from None


def _edit_again(error: Exception) -> bool:
    import sys

    if not sys.stdin or not sys.stdin.isatty():
        return False
    say(f"ralph: {error}", err=True)
    try:
        return click.confirm("Edit again?", default=True)
    except click.Abort:
        return False


def _open_editor(path: Path) -> None:
    from ralph.model.errors import ConfigError

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        click.edit(filename=str(path), editor=editor)
    except (click.ClickException, ValueError):
        raise ConfigError(f"the editor {editor!r} failed.", f"Set EDITOR to another. {_kept(path)}") from None


def _kept(path: Path) -> str:
    return f"Nothing was saved; the text is kept in {path}"


def _draft(task_id: str, text: str) -> Path:
    from tempfile import mkstemp

    file, name = mkstemp(prefix=f"ralph-{task_id}-", suffix=".yaml", text=True)
    with os.fdopen(file, "w", encoding="utf-8") as draft:
        draft.write(text)
    return Path(name)
