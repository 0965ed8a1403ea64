"""Where a path of a command is: inside the project, in a folder for temporary files, or beyond."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shell_words import Word


class Places:
    """The project, the folder that a command runs in, and what `~` stands for."""

    def __init__(self, project: str, folder: str, environ: Mapping[str, str]) -> None:
        self.project = os.path.realpath(project)
        self.folder: str | None = os.path.realpath(folder)
        """The current folder; None if it is unknown, after `cd "$somewhere"`."""
        self.home = environ.get("HOME") or os.path.expanduser("~")
        temporary = ("/tmp", "/var/tmp", environ.get("TMPDIR") or "/tmp")  # noqa: S108 - deleting there is harmless
        self.temporary = tuple(os.path.realpath(each) for each in temporary)

    def path(self, text: str) -> str | None:
        """An absolute path without links in its folders; None if it is unknown."""
        if text == "~" or text.startswith("~/"):
            text = self.home + text[1:]
        if text.startswith("~"):
            return "/home/" + text[1:]
        if not text.startswith("/"):
            if self.folder is None:
                return None
            text = f"{self.folder}/{text}"
        # For a path that ends in a link, the link is meant; for `link/..` and `link/x`, its target.
        folder, name = os.path.split(text.rstrip("/") or "/")
        if name in ("", ".", ".."):
            return os.path.realpath(text)
        return os.path.join(os.path.realpath(folder), name)

    def named(self, text: str) -> str:
        """The path as rules name it: relative to the project, if it is inside. A task has its worktree below
        `.ralph`.
        """
        path = self.path(text)
        if path is None:
            return text
        return path[len(self.project) + 1 :] if path.startswith(self.project + "/") else path

    def enter(self, word: Word | None) -> None:
        """Apply `cd`."""
        if word is None:
            self.folder = self.home
        elif word.is_dynamic or word.is_glob or word.text == "-":
            self.folder = None
        else:
            self.folder = self.path(word.text)

    def is_outside(self, word: Word) -> bool:
        """Whether it may be the project itself, everything in it, its history, or something else altogether."""
        path = self._known(word)
        if path is None:
            return True
        names_all = os.path.basename(path) in ("*", ".*", "{*,.*}", "?*", ".[!.]*")
        inside = os.path.dirname(path) if names_all else path
        return self._is_beyond(inside) or inside == self.project or inside == os.path.join(self.project, ".git")

    def is_beyond(self, word: Word) -> bool:
        """Whether it is certainly neither in the project nor in a folder for temporary files."""
        path = self._known(word)
        return path is not None and self._is_beyond(path)

    def _known(self, word: Word) -> str | None:
        if word.is_dynamic:
            # For this guard, "build/$name" is in build.
            start = word.text.rpartition("/")[0]
            return self.path(start + "/x") if start and ".." not in word.text else None
        return self.path(word.text)

    def _is_beyond(self, path: str) -> bool:
        if (path + "/").startswith(self.project + "/"):
            return False
        if self.project.startswith(path.rstrip("/") + "/"):
            return True
        return not any(path.startswith(each + "/") for each in self.temporary) and path not in (
            "/dev/null",
            "/dev/stdout",
        )
