"""A real git repository for a test, out of reach of the user's own settings."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

IDENTITY = """\
[user]
	name = Test
	email = test@example.invalid
[commit]
	gpgSign = false
[gc]
	auto = 0
[maintenance]
	auto = false
"""


class TempRepo:
    """A repository in `root/repo`, with its own home directory in `root/home`."""

    def __init__(self, root: Path) -> None:
        self.path = root / "repo"
        self.home = root / "home"

    @property
    def env(self) -> dict[str, str]:
        """Everything that a program needs, and nothing of the user's: git settings, ralph's state, keys."""
        return {
            "HOME": str(self.home),
            "RALPH_HOME": str(self.home / ".ralph"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            # It is a file of its own: `git config --global` as root would replace /dev/null with a file.
            "GIT_CONFIG_GLOBAL": str(self.home / ".gitconfig"),
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
        }

    def run(
        self,
        *argv: str,
        env: Mapping[str, str] | None = None,
        timeout: float = 60,
        input: str | None = None,  # noqa: A002 - as subprocess.run calls it
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in the repository with the environment `env` on top of the clean one.

        After `timeout`, it and everything that it started in its session are killed, and TimeoutExpired is raised.
        """
        process = subprocess.Popen(
            argv,
            cwd=self.path,
            env={**self.env, **(env or {})},
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(input, timeout=timeout)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        return subprocess.CompletedProcess(argv, process.returncode, stdout, stderr)

    def git(self, *args: str) -> str:
        """The output of git; a git that fails raises an error with its message."""
        done = self.run("git", *args)
        if done.returncode:
            raise AssertionError(f"git {' '.join(args)} exited with {done.returncode}: {done.stderr or done.stdout}")
        return done.stdout

    def log(self) -> list[str]:
        """The subjects of the commits, oldest first."""
        return self.git("log", "--reverse", "--format=%s").splitlines()

    def write(self, path: str, text: str) -> Path:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def read(self, path: str) -> str:
        return (self.path / path).read_text(encoding="utf-8")

    def commit_all(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)


def temp_repo(root: Path, files: Mapping[str, str] | None = None) -> TempRepo:
    """A new repository under `root` with one commit, `base`, of these files."""
    repo = TempRepo(root)
    repo.path.mkdir(parents=True)
    repo.home.mkdir()
    repo.git("init", "--quiet", "--initial-branch=main", "--template=")
    with (repo.path / ".git/config").open("a", encoding="utf-8") as config:
        config.write(IDENTITY)
    for path, text in (files or {}).items():
        repo.write(path, text)
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--allow-empty", "--message", "base")
    return repo
