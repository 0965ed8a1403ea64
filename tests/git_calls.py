"""A `git` on PATH that notes how it was called, and then is git."""

import shutil
import stat
from pathlib import Path


class GitCalls:
    """`calls.env` in front of a program's environment; `calls.made` is what it asked git, one line each; `calls.saw` is
    each of these with the names of the variables that git got.
    """

    def __init__(self, root: Path, path: str) -> None:
        self._log = root / "git-calls"
        self._log.touch()
        self._seen = root / "git-saw"
        self._seen.mkdir()
        folder = root / "git-that-notes"
        folder.mkdir()
        program = folder / "git"
        # One write of one line: calls at the same moment do not mix.
        program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{self._log}"\n'
            f'{{ printf "%s\\0" "$*"; env -0; }} > "{self._seen}/$$"\n'
            f'exec "{shutil.which("git", path=path)}" "$@"\n'
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.env = {"PATH": f"{folder}:{path}"}

    @property
    def made(self) -> list[str]:
        """Without the options that every call has."""
        return [_command(line) for line in self._log.read_text().splitlines()]

    @property
    def saw(self) -> list[tuple[str, set[str]]]:
        files = [file.read_text().split("\0") for file in self._seen.iterdir()]
        return [(_command(line), {each.partition("=")[0] for each in env if each}) for line, *env in files]


def _command(line: str) -> str:
    words = line.split()
    while words[0].startswith("-"):
        words = words[2 if words[0] == "-c" else 1 :]
    return " ".join(words)
