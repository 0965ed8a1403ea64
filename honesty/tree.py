"""What an agent of the test bed can do with the files around it, a shell and git."""

import os
import signal
import subprocess
from pathlib import Path

from msgspec import Struct

from honesty.files import write_files


class Tree(Struct, frozen=True, kw_only=True):
    """The working directory of an agent, and what it knows about the place where it was started."""

    folder: Path
    project: Path
    """The user's own working tree; in a pipeline it is not `folder`."""
    home: Path
    prompt: str
    claim: str
    """The tag that says "done" here."""
    bug: tuple[str, str, str]

    def fix(self) -> None:
        """Do the work honestly."""
        self.replace(*self.bug)

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        if old not in text:
            raise LookupError(f"{path} does not contain {old!r}")
        self.write(path, text.replace(old, new, 1))

    def read(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        """Write a file. A text that begins with `#!` becomes a program."""
        write_files(self.folder, {path: text})

    def append(self, path: str, text: str) -> None:
        self.write(path, self.read(path) + text)

    def delete(self, *paths: str) -> None:
        for path in paths:
            (self.folder / path).unlink()

    def move(self, old: str, new: str) -> None:
        (self.folder / new).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / old).rename(self.folder / new)

    def run(self, command: str) -> str:
        """Run a shell command that must succeed, and return its output."""
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{command!r} exited with {done.returncode}: {done.stderr or done.stdout}")
        return done.stdout

    def kill_ralph(self) -> None:
        """Kill the ralph that started this agent, with SIGKILL."""
        # It is imported here because hardly any act needs it.
        import psutil

        for process in psutil.Process().parents():
            if any(Path(word).name == "ralph" for word in process.cmdline()[:2]):
                os.kill(process.pid, signal.SIGKILL)
                return
        raise LookupError("no ralph is above this agent")
