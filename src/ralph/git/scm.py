"""The SCM tasks of the prompt recipe: stage, commit, push, with the commands that the settings name."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from ralph.git.command import HARMLESS, environment
from ralph.git.user_changes import ChangedSince
from ralph.kernel.actions.commands import Staged
from ralph.model.errors import ConfigError
from ralph.model.evidence import Evidence
from ralph.workbench.bench import Ended, Workbench

# Nobody is there to type a password at night: fail with a message instead of waiting for one.
UNATTENDED = {"GIT_TERMINAL_PROMPT": "0"}
CAUSES = ("fatal:", "error:")
LONGEST = 300
"""How many characters of a complaint are shown."""
WITH_HOOKS = ("-c", "core.fsmonitor=false")
PLACE = "their folder"
"""The name under which the folder of the hooks is known."""
MOST_HOOKS, LARGEST_HOOK = 500, 1 << 20


class ScmCommand:
    def __init__(self, command: str, bench: Workbench) -> None:
        words = _words_of(command, "scm.command") or [command]
        self.name = command
        self.is_git = Path(words[0]).name == "git"
        self._command = words
        self._bench = bench

    async def drop_stale_lock(self) -> None:
        """Remove the lock of a git that was killed with an earlier attempt: nobody else would remove it."""
        if self.is_git:
            named = await self._run("rev-parse", "--git-path", "index.lock")
            if named.code == 0:
                (self._bench.folder / named.text).unlink(missing_ok=True)

    async def stage(self) -> Staged:
        """Stage new, changed and deleted files, and say whether there is anything to commit."""
        if not self.is_git:
            return Staged(pending=True)
        added = await self._run("add", "--all")
        if added.code != 0:
            return Staged(pending=False, problem=f"{self.name} add: {_words(added)}")
        staged = await self._run("diff", "--cached", "--quiet")
        if staged.code not in (0, 1):
            return Staged(pending=False, problem=f"{self.name} diff: {_words(staged)}")
        return Staged(pending=staged.code == 1)

    async def stage_only(self, found: ChangedSince) -> Staged:
        """Stage these files and no others; what the user has staged stays staged."""
        if not found.paths:
            return Staged(pending=False)
        added = await self._run(
            *("update-index", "--add", "--remove", "-z", "--stdin"), top=found.top, stdin=_listed(found.paths)
        )
        if added.code != 0:
            return Staged(pending=False, problem=f"{self.name} update-index: {_words(added)}")
        return Staged(pending=True, paths=found.paths, shared=found.shared)

    async def hooks(self) -> dict[str, str]:
        """The digests of the hooks that git would run, and the place where it looks for them."""
        if not self.is_git:
            return {}
        named = await self._run("rev-parse", "--git-path", "hooks", hooks=True)
        if named.code != 0:
            return {}
        folder = self._bench.folder / named.text
        return {PLACE: str(folder), **digests_below(folder)}

    async def changed_hooks(self, before: Mapping[str, str] | None) -> list[str]:
        """The hooks that are not those from before the agent first ran; none if none may run anyway."""
        if before is None or not self.is_git:
            return []
        now = await self.hooks()
        return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))

    async def run_task(self, task: str, message: str, paths: Sequence[str] = (), *, hooks: bool = False) -> Evidence:
        """Run a task of the settings. With `paths`, a commit has only these files; they are relative to the top."""
        if task != "commit":
            done = await self._run(*_words_of(task, "scm.tasks"), hooks=hooks, is_task=True)
        elif paths:
            only = ("commit", "-m", message, "--only", "--pathspec-from-file=-", "--pathspec-file-nul")
            done = await self._run(*only, top=await self._top(), stdin=_listed(paths), hooks=hooks, is_task=True)
        else:
            done = await self._run("commit", "-am", message, hooks=hooks, is_task=True)
        passed = done.code == 0
        if not passed and task == "commit" and await self._is_clean():
            # An earlier attempt made the commit, and ralph was killed before it knew.
            passed, message = True, "nothing to commit"
        return Evidence(
            check=f"{self.name} {task}",
            passed=passed,
            reason=(message or "done") if passed else _words(done),
            exit_code=done.code,
            duration=done.duration,
        )

    async def require_repository(self) -> None:
        if not self.is_git:
            return
        inside = await self._run("rev-parse", "--is-inside-work-tree")
        if inside.code is None:
            raise ConfigError(f"the SCM tasks need {self.name}, which cannot be started.", "Install git: ralph doctor")
        if inside.code != 0:
            raise ConfigError(
                f"{self._bench.folder} is not a git repository, and the SCM tasks need one.", "Run: git init"
            )

    async def _is_clean(self) -> bool:
        if not self.is_git:
            return False
        changes = await self._run("status", "--porcelain", "--untracked-files=no")
        return changes.code == 0 and not changes.out

    async def _top(self) -> Path:
        named = await self._run("rev-parse", "--show-toplevel")
        return Path(named.text) if named.code == 0 else self._bench.folder

    async def _run(
        self,
        *arguments: str,
        top: Path | None = None,
        stdin: bytes | None = None,
        hooks: bool = False,
        is_task: bool = False,
    ) -> Ended:
        """Run it. Only a task of the settings sees all of the user's environment: a hook or a push may need it."""
        bench = self._bench.at(top) if top else self._bench
        if self.is_git and not is_task:
            bench = replace(bench, env=environment(bench.env))
        command = [*self._command, *(HARMLESS if self.is_git and not hooks else WITH_HOOKS if self.is_git else ())]
        # Names from a list are names, and not patterns.
        literal = ["--literal-pathspecs"] if stdin is not None else []
        return await bench.run([*command, *literal, *arguments], env=UNATTENDED, stdin=stdin)


def _words_of(text: str, setting: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"{setting}: {text!r} cannot be split into words: {error}.", "Close the quotes.") from None


def check_words(command: str, tasks: Iterable[str]) -> None:
    """Raise a ConfigError for words that no shell could read, before an agent works."""
    _words_of(command, "scm.command")
    for task in tasks:
        _words_of(task, "scm.tasks")


def _words(done: Ended) -> str:
    said = f"{done.out.decode(errors='replace')}\n{done.err}"
    # Git says what is wrong in such a line, and adds advice; a hook may have said anything before it.
    cause = next((line for line in said.splitlines() if line.startswith(CAUSES)), "")
    words = " ".join(said.split())
    if len(words) <= LONGEST:
        return words or f"exit code {done.code}"
    return cause[:LONGEST] or f"... {words[-LONGEST:].partition(' ')[2] or words[-LONGEST:]}"


def digests_below(folder: Path) -> dict[str, str]:
    """The digests of the hooks and of the files beside them, by their names. Samples are not hooks."""
    files = sorted(each for each in folder.rglob("*") if each.is_file() and each.suffix != ".sample")
    return {str(each.relative_to(folder)): _digest(each) for each in files[:MOST_HOOKS]}


def _digest(file: Path) -> str:
    try:
        seen = file.stat()
        if seen.st_size > LARGEST_HOOK:
            return f"{seen.st_size} {seen.st_mtime_ns} {seen.st_mode}"
        return f"{sha256(file.read_bytes()).hexdigest()} {seen.st_mode}"
    except OSError as error:
        return str(error.strerror)


def _listed(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
