"""The text of a spec, read for a person to edit, and written back."""

from pathlib import Path

from ralph.app.tasks.listing import spec_file
from ralph.model.errors import ConfigError
from ralph.store.files import cannot_write
from ralph.store.projects import known_project
from ralph.store.spec_files import TEXT, read_spec_file, write_spec_file
from ralph.store.sql import Store
from ralph.store.tasks import get_spec

LARGEST = 4_000_000


def text_to_edit(store: Store, project: Path, spec_id: str) -> str:
    """The text; a heading, if there is no text yet."""
    spec = get_spec(store, known_project(store, project), spec_id)
    return _there(project, spec_id) or f"# {spec.title}\n"


def save_text(store: Store, project: Path, spec_id: str, before: str, text: str) -> str:
    """Write the text, and return its file, relative to the project. A text that was changed since `before` stays."""
    get_spec(store, known_project(store, project), spec_id)
    if _there(project, spec_id) not in ("", before):
        raise _kept(project, spec_id, text)
    file = spec_file(project, spec_id)
    try:
        write_spec_file(project, spec_id, TEXT, text.encode())
    except OSError as error:
        raise cannot_write(file, error, "Make it writable.") from None
    return str(file.relative_to(project))


def _kept(project: Path, spec_id: str, text: str) -> ConfigError:
    write_spec_file(project, spec_id, "spec.edited.md", text.encode())
    where = f".ralph/specs/{spec_id}/spec.edited.md"
    return ConfigError(f"the text of {spec_id} was changed while you edited it.", f"Yours is kept in {where}.")


def _there(project: Path, spec_id: str) -> str:
    found = read_spec_file(project, spec_id, TEXT, most=LARGEST)
    if found is None and spec_file(project, spec_id).exists():
        raise ConfigError(f"{spec_file(project, spec_id)} is not a plain file, or it is too large.", "Move it away.")
    try:
        return (found or b"").decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{spec_file(project, spec_id)} is not UTF-8: {error.reason}.", "Save it as UTF-8.") from None
