"""The project that a folder belongs to."""

import os
from collections.abc import Mapping
from pathlib import Path

from ralph.config.home import ralph_home

NAME = ".ralph"


def project_above(folder: Path, environ: Mapping[str, str]) -> Path:
    """The nearest folder upward that has `.ralph/`, but none above the top of its git repository; otherwise that top;
    otherwise the folder itself. The folder with the user's own settings is not a project.
    """
    home = ralph_home(environ)
    for each in (folder, *folder.parents):
        if (each / NAME).is_dir() and each / NAME != home:
            return each
        if is_repository(each / ".git"):
            return each
    return folder


def repository_above(folder: Path) -> Path | None:
    """The top of the git repository that the folder belongs to, without asking git; None outside of any."""
    return next((each for each in (folder, *folder.parents) if is_repository(each / ".git")), None)


def is_repository(git: Path) -> bool:
    """Whether this `.git` is a repository, or a link or file that leads to one. Killed agents leave empty folders of
    this name behind.
    """
    return (git / "HEAD").exists() or (os.path.lexists(git) and not git.is_dir())
