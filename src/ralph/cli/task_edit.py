"""`ralph task edit`: a task in the user's own editor; what they wrote is never lost."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ralph.model.tasks import Task


@click.command("edit")
@click.argument("task_id", metavar="ID")
def command(task_id: str) -> None:
    """Change the task ID in $VISUAL, $EDITOR or vi. It is checked before it is saved; its id stays."""
    from ralph.app.specs import open_project, refuse_running
    from ralph.app.task_edit import editable
    from ralph.app.tasks import find_task, warnings_of

    project = Path.cwd()
    task = find_task(project, task_id)
    refuse_running(*open_project(project), [task.id])
    path = _draft(task.id, editable(task))
    edited = _edited(project, task, path)
    with suppress(FileNotFoundError):
        path.unlink()
    if edited is None:
        click.echo("Nothing changed.")
        return
    for warning in warnings_of(edited):
        click.echo(f"ralph: {warning}.", err=True)
    click.echo(f"Saved {edited.id}.")


def _edited(project: Path, task: "Task", path: Path) -> "Task | None":
    from ralph.app.task_edit import save_edited
    from ralph.app.task_text import read_text
    from ralph.model.errors import RalphError

    while True:
        _open_editor(path)
        try:
            return save_edited(project, task, read_text(str(path), "the edited text"))
        except RalphError as error:
            if not _edit_again(error):
                raise type(error)(error.message, f"{error.hint} {_kept(path)}".strip()) from None


def _edit_again(error: Exception) -> bool:
    import sys

    if not sys.stdin or not sys.stdin.isatty():
        return False
    click.echo(f"ralph: {error}", err=True)
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
