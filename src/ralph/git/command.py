"""How git is started: by argv, and without anything else that a repository could make it do."""

import asyncio
import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from copy import copy
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path

from msgspec.structs import replace

from ralph.config.secrets import is_secret_name
from ralph.model.errors import StateError
from ralph.workbench.bench import NOTHING, Ended, Starting, Workbench
from ralph.workbench.first_found import first_found

LOCKED = ".lock': File exists"
"""A part of git's message when another git works there, or was killed there."""
# A repository that an agent has touched may contain hooks and monitors that the agent made.
HARMLESS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
# Settings that a user may have for work by hand, and that would make git refuse, ask, or continue in the background.
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
# If the program is missing, its pointer files are files like any other.
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
# All that git needs of a user's environment: where things are, who commits, and how remotes are reached.
NEEDED = (
    *("PATH", "HOME", "USER", "LOGNAME", "EMAIL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TEMP", "TMP", "XDG_*"),
    *("GIT_*", "RALPH_*", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GNUPGHOME", "GPG_AGENT_INFO"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "LD_LIBRARY_PATH", "DYLD_*", "NIX_*"),
    # Where the programs are that keep a user's passwords for git.
    *("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "KRB5CCNAME", "GCM_*"),
)
# Nobody is there to type a password at night. Ralph reads git's messages, so they must be in English.
OWN = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "GIT_MERGE_AUTOEDIT": "no",
    "LC_ALL": "C",
    # `git replace`: an agent can make git read another object instead of one, such as the commit it began at.
    "GIT_NO_REPLACE_OBJECTS": "1",
}
SHORT = 300
RESUME = "Fix it, then continue: ralph resume"
# Git reads what it knows about all worktrees, and dies if another git is creating one at that moment.
DAMAGED_INDEX = re.compile(r"index file (corrupt|smaller than expected)|bad index")
NO_REPOSITORY = "not a git repository"
HALF_WRITTEN = re.compile(r"failed to read \S.*/commondir")
MOST_TRIES = 50
MOMENT = 0.02


class GitFailed(StateError):
    """Git refused. `remedy` is what to do before the same is tried again; the hint also says how to continue."""

    def __init__(self, message: str, remedy: str, go_on: str) -> None:
        super().__init__(message, remedy + go_on)
        self.remedy = remedy


class Git:
    def __init__(self, bench: Workbench) -> None:
        flags = () if shutil.which("git-lfs", path=bench.env.get("PATH")) else WITHOUT_LFS
        self._argv = (first_found("git", bench.env.get("PATH")), *HARMLESS, "--no-optional-locks", *UNATTENDED, *flags)
        self._bench = replace(bench, env={**environment(bench.env), **OWN})

    @property
    def folder(self) -> Path:
        return self._bench.folder

    @property
    def env(self) -> Mapping[str, str]:
        return self._bench.env

    def at(self, folder: Path) -> "Git":
        """The same git in another folder, with what is known about its environment."""
        there = copy(self)
        there._bench = self._bench.at(folder)  # noqa: SLF001 - it is one of its own kind
        return there

    async def run(
        self,
        *arguments: str,
        env: Mapping[str, str] = NOTHING,
        stdin: Path | bytes | None = None,
        sink: Callable[[bytes], None] | None = None,
    ) -> Ended:
        """Run git to its end. The beginning of its output is kept; a `sink` gets all of it."""
        asked = partial(self._bench.run, [*self._argv, *arguments], env=env, stdin=stdin, sink=sink)
        done = await asked()
        for _ in range(MOST_TRIES):
            if sink or not HALF_WRITTEN.search(done.err):
                break
            await asyncio.sleep(MOMENT)
            done = await asked()
        return done

    async def write_files(self, *arguments: str, env: Mapping[str, str] = NOTHING) -> Ended:
        """Run a git that writes files. Large files that cannot be fetched now stay the pointers that git has."""
        done = await self.run(*arguments, env=env)
        if done.code != 0 and "smudge" in done.err:
            done = await self.run(*arguments, env={**env, "GIT_LFS_SKIP_SMUDGE": "1"})
        return done

    def start(self, *arguments: str, env: Mapping[str, str], stdin: Path, stdout: Callable[[bytes], None]) -> Starting:
        """Start a git that is asked while it runs: `async with git.start(...) as process`."""
        argv = [*self._argv, *arguments]
        return self._bench.start(argv, env=env, stdin=stdin, stdout=stdout, stderr=lambda _: None)

    async def ask(self, *arguments: str, env: Mapping[str, str] = NOTHING, stdin: Path | bytes | None = None) -> str:
        """The output of git. A failure is an error."""
        done = await self.run(*arguments, env=env, stdin=stdin)
        if done.code != 0:
            raise self.failed(arguments[0], done)
        return done.text

    async def records(
        self, *arguments: str, env: Mapping[str, str] = NOTHING, wanted: Callable[[bytes], bool]
    ) -> list[str]:
        """The wanted NUL-terminated records of git's output. The others are never held in memory together."""
        found = _Records(wanted)
        done = await self.run(*arguments, env=env, sink=found.take)
        if done.code != 0:
            raise self.failed(arguments[0], done)
        return [os.fsdecode(record) for record in found.kept]

    def failed(self, what: str, done: Ended) -> GitFailed:
        said = f"git {what} in {self.folder}: {words_of(done).rstrip('.')}."
        if LOCKED in done.err:
            remedy = "Another git is working there. If not, one was killed: remove that file"
            return GitFailed(said, remedy, ", then: ralph resume")
        if DAMAGED_INDEX.search(done.err):
            remedy = f"Write a new index, which changes no file: git -C {shlex.quote(str(self.folder))} read-tree HEAD"
            return GitFailed(said, remedy, " && ralph resume")
        if NO_REPOSITORY in done.err:
            return GitFailed(said, "Restore the project's .git, such as from a backup", ", then continue: ralph resume")
        return GitFailed(said, "Fix it", ", then continue: ralph resume")


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """The part of a user's environment that ralph's own git sees: what it needs, and no secret."""
    return {name: value for name, value in env.items() if _is_needed(name)}


@cache
def _is_needed(name: str) -> bool:
    if name in FOREIGN or name.startswith("GIT_TRACE") or not any(fnmatchcase(name, each) for each in NEEDED):
        return False
    # `GIT_CONFIG_KEY_0` is the name of a setting, and git fails if one is missing.
    return not is_secret_name(name) or name.startswith("GIT_CONFIG_KEY_")


def words_of(done: Ended) -> str:
    """Git's complaint, in one line."""
    said = done.err or done.out.decode(errors="replace")
    lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:"))] or said.splitlines()
    return " ".join(" ".join(lines).split())[:SHORT] or f"exit code {done.code}"


class _Records:
    def __init__(self, wanted: Callable[[bytes], bool]) -> None:
        self.kept: list[bytes] = []
        self._wanted = wanted
        self._rest = b""

    def take(self, data: bytes) -> None:
        *whole, self._rest = (self._rest + data).split(b"\0")
        self.kept += [record for record in whole if self._wanted(record)]
