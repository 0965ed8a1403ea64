"""How git is started: by argv, with nothing of what a repository could make it do besides."""

import asyncio
import os
import re
import shutil
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from msgspec import Struct

from ralph.model.errors import AgentUnusable, StateError
from ralph.proc import spawn
from ralph.proc.capture import LONGEST

# A repository that an agent has touched may carry hooks and monitors of its making.
HARMLESS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
# What a user may have set for work by hand, and would make git refuse, ask, or go on in the background.
UNATTENDED = (
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
    *("-c", "commit.gpgSign=false"),
    *("-c", "core.safecrlf=false"),
    *("-c", "core.quotePath=false"),
    *("-c", "core.splitIndex=false"),
    *("-c", "submodule.recurse=false"),
    *("-c", "advice.addEmbeddedRepo=false"),
    *("-c", "trailer.separators=:"),
    *("-c", "i18n.commitEncoding=UTF-8"),
    *("-c", "i18n.logOutputEncoding=UTF-8"),
)
# Where the program is missing, its pointer files are files like any other.
WITHOUT_LFS = (
    *("-c", "filter.lfs.process="),
    *("-c", "filter.lfs.smudge="),
    *("-c", "filter.lfs.clean="),
    *("-c", "filter.lfs.required=false"),
)
# These name another repository than the one in the folder, or change what paths mean: a git hook sets some of them.
FOREIGN = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_IMPLICIT_WORK_TREE"),
    *(
        "GIT_GRAFT_FILE",
        "GIT_SHALLOW_FILE",
        "GIT_REPLACE_REF_BASE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_INTERNAL_SUPER_PREFIX",
    ),
    *("GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "GIT_REFLOG_ACTION"),
    *("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
)
CEILING = "GIT_CEILING_DIRECTORIES"
WORKTREES = (".ralph", "worktrees")
SHORT = 300
RESUME = "Mend it, then go on: ralph resume"
# Git reads what it knows of all worktrees, and dies if another git is about to make one just then.
HALF_WRITTEN = re.compile(r"failed to read \S.*/commondir")
MOST_TRIES = 50
MOMENT = 0.02
_numbers = count(1)


class Done(Struct, frozen=True):
    code: int | None
    """Empty if git could not be started."""
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Names in it may be any bytes: they come through unchanged when they are given back to git."""
        return os.fsdecode(self.out).strip("\n")

    @property
    def words(self) -> str:
        """What git complains of, in one line."""
        said = self.err or self.out.decode(errors="replace")
        lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:"))] or said.splitlines()
        return " ".join(" ".join(lines).split())[:SHORT] or f"exit code {self.code}"


class Git:
    def __init__(self, folder: Path, env: Mapping[str, str], attempt: str) -> None:
        self.folder = folder
        self._given = env
        self._attempt = attempt
        flags = () if shutil.which("git-lfs", path=env.get("PATH")) else WITHOUT_LFS
        self._argv = ("git", *HARMLESS, "--no-optional-locks", *UNATTENDED, *flags)
        # Nobody is there to type a password at night. What git says is read, so it is to say it in English.
        own = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": ":", "GIT_MERGE_AUTOEDIT": "no", "LC_ALL": "C"}
        kept = {name: value for name, value in env.items() if name not in FOREIGN and not name.startswith("GIT_TRACE")}
        self._env = {**kept, **own, **ceiling(folder)}

    def at(self, folder: Path) -> "Git":
        return Git(folder, self._given, self._attempt)

    async def run(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        stdin: Path | None = None,
        sink: Callable[[bytes], None] | None = None,
    ) -> Done:
        """To its end. Of what it says the beginning is kept; a `sink` gets all that it prints."""
        done = await self._run(arguments, env, stdin, sink)
        for _ in range(MOST_TRIES):
            if sink or not HALF_WRITTEN.search(done.err):
                break
            await asyncio.sleep(MOMENT)
            done = await self._run(arguments, env, stdin, sink)
        return done

    async def _run(
        self,
        arguments: tuple[str, ...],
        env: Mapping[str, str] | None,
        stdin: Path | None,
        sink: Callable[[bytes], None] | None,
    ) -> Done:
        out, err = _Beginning(), _Beginning()
        try:
            async with spawn(
                [*self._argv, *arguments],
                cwd=self.folder,
                env={**self._env, **(env or {})},
                # A mark of its own: whatever runs beside it in this attempt is not ended with it.
                attempt=f"{self._attempt}.git-{next(_numbers)}",
                stdin=stdin,
                stdout=sink or out.take,
                stderr=err.take,
            ) as process:
                await process.wait()
                code = process.exit_code
        except AgentUnusable as error:
            return Done(None, b"", error.message)
        return Done(code, bytes(out.data), err.data.decode(errors="replace"))

    async def ask(self, *arguments: str, env: Mapping[str, str] | None = None, stdin: Path | None = None) -> str:
        """What it prints; that it fails is an error."""
        done = await self.run(*arguments, env=env, stdin=stdin)
        if done.code != 0:
            raise self.failed(arguments[0], done)
        return done.text

    async def records(
        self, *arguments: str, env: Mapping[str, str] | None = None, wanted: Callable[[bytes], bool]
    ) -> list[str]:
        """Those of the NUL-ended records it prints that are wanted; the others are never all held at once."""
        found = _Records(wanted)
        done = await self.run(*arguments, env=env, sink=found.take)
        if done.code != 0:
            raise self.failed(arguments[0], done)
        return [os.fsdecode(record) for record in found.kept]

    def failed(self, what: str, done: Done) -> StateError:
        if ".lock': File exists" in done.err:
            return StateError(
                f"git {what} in {self.folder}: {done.words}",
                "Another git works there. If none does, one was killed: remove that file, then: ralph resume",
            )
        return StateError(f"git {what} in {self.folder}: {done.words}", RESUME)


def ceiling(folder: Path) -> dict[str, str]:
    """Keeps git in a worktree that has lost its `.git` from taking the project around it for the repository."""
    parts = Path(os.path.realpath(folder)).parts
    for end in range(len(parts) - 1, 1, -1):
        if parts[end - 2 : end] == WORKTREES:
            return {CEILING: str(Path(*parts[:end]))}
    return {}


class _Beginning:
    def __init__(self) -> None:
        self.data = bytearray()

    def take(self, data: bytes) -> None:
        self.data += data[: LONGEST - len(self.data)]


class _Records:
    def __init__(self, wanted: Callable[[bytes], bool]) -> None:
        self.kept: list[bytes] = []
        self._wanted = wanted
        self._rest = b""

    def take(self, data: bytes) -> None:
        *whole, self._rest = (self._rest + data).split(b"\0")
        self.kept += [record for record in whole if self._wanted(record)]
