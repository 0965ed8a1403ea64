"""The project that a command is about."""

import os
from pathlib import Path

from ralph.config.project import project_above
from ralph.model.errors import ConfigError


def here() -> Path:
    """The project of the current directory, which may be a folder below its top."""
    return project_above(Path.cwd(), os.environ)


def from_project(project: Path, path: str) -> str:
    """A path that was given in the current directory, relative to the project's top."""
    return path if not path or Path(path).is_absolute() else os.path.relpath(Path.cwd() / path, project)


def project_in(folder: str) -> Path:
    """The project that `--project-dir` names: a folder as it is, or with `.` the project of the current directory."""
    return here() if folder == "." else Path(folder).absolute()


def plan_folder(project: Path, given: str) -> str:
    """The folder that `--ralph-dir` names, as git writes it: relative to the project, without dots and double
    slashes.
    """
    folder = os.path.relpath(os.path.normpath(project / given), project)
    if folder == os.curdir or folder.startswith(os.pardir):
        raise ConfigError(f"--ralph-dir {given} is not a folder inside {project}.", "Name one, such as ralph.")
    return folder
