"""Paths of git's files that mean the same after the project has moved: `$GIT_DIR/config`, `~/.gitconfig`."""

from collections.abc import Mapping
from pathlib import Path, PurePath

from ralph.git.checkout import Checkout


class NamedPaths:
    """Names for paths. A path below none of the known folders stays as it is."""

    def __init__(self, at: Checkout, env: Mapping[str, str]) -> None:
        # A folder inside another comes before it.
        self._folders = {"$GIT_DIR": at.git_dir, "$GIT_COMMON_DIR": at.common_dir, "$GIT_WORK_TREE": at.top}
        if home := env.get("HOME"):
            self._folders["~"] = Path(home)

    def name(self, path: Path) -> str:
        for name, folder in self._folders.items():
            if path.is_relative_to(folder):
                return f"{name}/{path.relative_to(folder)}"
        return str(path)

    def path(self, name: str) -> Path:
        first, *rest = PurePath(name).parts
        return Path(self._folders.get(first, first), *rest)
