"""The files of a story loop, made from templates. Existing files are never overwritten."""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import ralph.plugin
from ralph.config.project import repository_above
from ralph.kernel.story_options import FOLDER
from ralph.loop.story_plan import IGNORE, PRD, PROGRESS, PROMPT, TASKS, text_of
from ralph.model.errors import ConfigError
from ralph.plugin.hooks.scripts.active_loop import MARKER
from ralph.store.projects import require_utf8

TEMPLATES = Path(ralph.plugin.__file__).parent / "templates"


class Prepared(NamedTuple):
    made: list[str]
    kept: list[str]
    branch: str


def prepare(project: Path, name: str | None = None) -> Prepared:
    """Create the plan's files in `ralph/`, and the line in .gitignore that keeps the marker of a loop out of
    commits.
    """
    if not project.is_dir():
        raise ConfigError(f"there is no directory {project}.", "Name the project's directory.")
    require_utf8(project.resolve())
    top = repository_above(project.resolve())
    if top and top != project.resolve():
        raise ConfigError(f"{project} is a part of the repository {top}.", f"Begin there: ralph prd init -d {top}")
    called = name or project.resolve().name
    branch = f"ralph/{_ref(called)}"
    folder = project / FOLDER
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ConfigError(f"{folder} is not a folder.", "Move it away, then: ralph prd init")
    folder.mkdir(exist_ok=True)
    made: list[str] = []
    kept: list[str] = []
    for file in (PRD, TASKS, PROGRESS, PROMPT):
        is_new = write_new(folder / file, filled(file, called, branch))
        (made if is_new else kept).append(f"{FOLDER}/{file}")
    if _ignore_marker(project / IGNORE):
        made.append(IGNORE)
    return Prepared(made, kept, _branch_in(folder / TASKS) or branch)


def _branch_in(path: Path) -> str:
    """The branch that the plan names, which may be older than this call; empty if it cannot be read."""
    try:
        branch = json.loads(text_of(path) or "")["branchName"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return branch if isinstance(branch, str) else ""


def filled(file: str, name: str, branch: str) -> str:
    """A template with its date and its names."""
    text = (TEMPLATES / file).read_text(encoding="utf-8")
    if file == TASKS:
        quoted = json.dumps(name, ensure_ascii=False)
        return text.replace('"project": ""', f'"project": {quoted}').replace("ralph/feature-name", branch)
    return text.replace("{{DATE}}", datetime.now(UTC).strftime("%Y-%m-%d")).replace("{{PROJECT_NAME}}", name)


def write_new(path: Path, text: str) -> bool:
    """Write a new file. Returns whether it was written: an existing file is left alone."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return True


def _ignore_marker(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="surrogateescape") if path.is_file() else ""
    if MARKER in text.splitlines():
        return False
    gap = "" if not text or text.endswith("\n") else "\n"
    with path.open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"{gap}{MARKER}\n")
    return True


def _ref(name: str) -> str:
    """The name in a form that git accepts as a part of a branch's name."""
    made = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "feature"
    made = re.sub(r"\.{2,}", ".", made)
    return made.removesuffix(".lock") or "feature"
