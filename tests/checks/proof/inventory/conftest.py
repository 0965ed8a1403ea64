import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Struct

from ralph.checks.proof.inventory import breaks, collected, prepared

SECONDS = 100


class Trial(Struct):
    exit_code: int
    inventory: object
    log: str
    tries: list
    """What each try was prepared without."""


class Project:
    """A checkout with files of its own, in which commands are tried."""

    def __init__(self, place):
        self.place = place
        self.path = place / "checkout"
        self.path.mkdir(parents=True)
        # A pytest that makes its temporary folder among those of the other test runs cleans up the old ones at its
        # end, and may take minutes.
        temporary = place / "tmp"
        temporary.mkdir()
        self.env = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(place),
            "TMPDIR": str(temporary),
        }
        self.folder = place / "inventory-0"
        self.log = place / "0.log"
        self._number = 0

    def write(self, files):
        for name, text in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return self

    def start(self, command, without=()):
        """Run a command once, as a trial."""
        self._number += 1
        self.folder = self.place / f"inventory-{self._number}"
        self.folder.mkdir()
        self.log = self.place / f"{self._number}.log"
        env = prepared(self.env, self.folder, worktree=self.path, without=without)
        with self.log.open("wb") as log:
            return subprocess.run(
                ["sh", "-c", command],
                cwd=self.path,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
                check=False,
            ).returncode

    def try_out(self, command):
        """Run a command as a trial, and again as long as what was added breaks it."""
        tries = [frozenset()]
        exit_code = self.start(command)
        while more := breaks(self.log, exit_code, without=tries[-1]):
            tries.append(more)
            exit_code = self.start(command, more)
        inventory = collected(self.folder, self.log, self.path, without=tries[-1])
        return Trial(exit_code, inventory, self.log.read_text(errors="replace"), tries)

    def plain(self, command):
        """The exit code and the output of the command by itself."""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.path,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
            text=True,
        )
        return done.returncode, done.stdout


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "first")


@pytest.fixture
def elsewhere(tmp_path):
    """Another checkout, under another path."""
    return Project(tmp_path / "second place")
