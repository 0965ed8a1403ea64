"""The SCM tasks of the prompt recipe: stage, commit, push, with whatever command the settings name."""

import shlex
import time
from collections.abc import Mapping
from pathlib import Path

from ralph.git.command import HARMLESS
from ralph.kernel.actions import Staged
from ralph.model.errors import ConfigError
from ralph.model.evidence import Evidence
from ralph.proc import Captured, collect


class Scm:
    def __init__(self, command: str, project: Path, env: Mapping[str, str], attempt: str) -> None:
        words = shlex.split(command) or [command]
        self.name = command
        self.is_git = Path(words[0]).name == "git"
        self._command = [*words, *HARMLESS] if self.is_git else words
        self._project = project
        # Nobody is there to type a password at night: fail with words instead of waiting for one.
        self._env = {**env, "GIT_TERMINAL_PROMPT": "0"}
        self._attempt = attempt

    async def drop_stale_lock(self) -> None:
        """A git that was killed with an earlier attempt at this has left its lock, and nobody else would remove it."""
        if self.is_git:
            named = await self._run("rev-parse", "--git-path", "index.lock")
            if named.code == 0:
                (self._project / named.output.strip()).unlink(missing_ok=True)

    async def stage(self) -> Staged:
        """Stage new, changed and deleted files. Is there anything to commit?"""
        if not self.is_git:
            return Staged(pending=True)
        added = await self._run("add", "--all")
        if added.code != 0:
            return Staged(pending=False, problem=f"{self.name} add: {_words(added)}")
        staged = await self._run("diff", "--cached", "--quiet")
        if staged.code not in (0, 1):
            return Staged(pending=False, problem=f"{self.name} diff: {_words(staged)}")
        return Staged(pending=staged.code == 1)

    async def run_task(self, task: str, message: str) -> Evidence:
        arguments = ["commit", "-am", message] if task == "commit" else shlex.split(task)
        began = time.monotonic()
        done = await self._run(*arguments)
        passed = done.code == 0
        if not passed and task == "commit" and await self._is_clean():
            # A commit that was made by an attempt of which ralph did not live to hear.
            passed, message = True, "nothing to commit"
        return Evidence(
            check=f"{self.name} {task}",
            passed=passed,
            reason=(message or "done") if passed else _words(done),
            exit_code=done.code,
            duration=time.monotonic() - began,
        )

    async def require_repository(self) -> None:
        if not self.is_git:
            return
        inside = await self._run("rev-parse", "--is-inside-work-tree")
        if inside.code is None:
            raise ConfigError(f"the SCM tasks need {self.name}, which cannot be started.", "Install git: ralph doctor")
        if inside.code != 0:
            raise ConfigError(f"{self._project} is not a git repository, and the SCM tasks need one.", "Run: git init")

    async def _is_clean(self) -> bool:
        if not self.is_git:
            return False
        changes = await self._run("status", "--porcelain", "--untracked-files=no")
        return changes.code == 0 and not changes.output

    async def _run(self, *arguments: str) -> Captured:
        return await collect([*self._command, *arguments], cwd=self._project, env=self._env, attempt=self._attempt)


def _words(done: Captured) -> str:
    said = " ".join(done.output.split())[-300:]
    return said or ("it did not end" if done.code is None else f"exit code {done.code}")
