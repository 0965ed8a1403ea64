"""Put all that belongs to the work into an index: never ralph's own state, nor what was lent to the worktree."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ralph.git.command import Git
from ralph.store.state_dir import NAME, STATE

EVERYTHING = ":/"
OWN = tuple(f"**/{NAME}/{name}{'**' if name.endswith('/') else ''}" for name in (".gitignore", *STATE))
OWN_STATE = tuple(f":(top,glob){pattern}" for pattern in OWN)
NOT_OWN_STATE = tuple(f":(top,exclude,glob){pattern}" for pattern in OWN)
LENT = "ralph-lent"
"""In the git directory of a worktree: the files that ralph copied into it, each ended by NUL."""
SUBMODULE = b"160000 "
PLACEHOLDER = ".ralph-placeholder"


async def stage(git: Git, env: Mapping[str, str]) -> None:
    """Into the index that `env` names. `git` works at the top of the working tree."""
    await _open_embedded(git, env)
    await git.ask("add", "--all", "--", *await whole_work(git), env=env)
    staged = await git.run("diff-index", "--cached", "--quiet", "HEAD", "--", *OWN_STATE, env=env)
    if staged.code == 1:
        # An agent has added it by force.
        await git.ask("reset", "--quiet", "HEAD", "--", *OWN_STATE, env=env)


async def whole_work(git: Git) -> list[str]:
    """The pathspecs of everything in the working tree that is part of the work."""
    lent = git.folder / await git.ask("rev-parse", "--git-path", LENT)
    names = os.fsdecode(lent.read_bytes()).split("\0")[:-1] if lent.is_file() else []
    return [EVERYTHING, *NOT_OWN_STATE, *(f":(top,exclude,literal){name}" for name in names)]


async def _open_embedded(git: Git, env: Mapping[str, str]) -> None:
    """Let the files of repositories that an agent made inside this one be seen as files.

    Git would take such a repository for a submodule and leave its files out, or fail if it has no commit yet. A
    folder in which the index knows a file is a folder to it: `add --all` drops the placeholder again.
    """
    for name in await _undeclared_submodules(git, env):
        await git.ask("update-index", "--force-remove", "--", name, env=env)
    seen: set[str] = set()
    while True:
        listed = await git.records(
            "ls-files", "-z", "--others", "--exclude-standard", env=env, wanted=lambda name: name.endswith(b"/")
        )
        embedded = [name for name in listed if name not in seen]
        if not embedded:
            return
        seen |= set(embedded)
        await _add_placeholders(git, env, embedded)


async def _add_placeholders(git: Git, env: Mapping[str, str], folders: list[str]) -> None:
    empty = await git.ask("hash-object", "-w", "-t", "blob", os.devnull)
    with tempfile.NamedTemporaryFile() as lines:
        lines.write(b"".join(os.fsencode(f"100644 {empty}\t{folder}{PLACEHOLDER}\0") for folder in folders))
        lines.flush()
        await git.ask("update-index", "-z", "--add", "--index-info", env=env, stdin=Path(lines.name))


async def _undeclared_submodules(git: Git, env: Mapping[str, str]) -> list[str]:
    """Repositories that an agent has added as they are: nobody could ever fetch what is in them."""
    records = await git.records("ls-files", "-z", "--stage", env=env, wanted=lambda line: line.startswith(SUBMODULE))
    linked = {record.partition("\t")[2] for record in records}
    present = {name for name in linked if (git.folder / name / ".git").exists()}
    return sorted(present - await _declared(git)) if present else []


async def _declared(git: Git) -> set[str]:
    if not (git.folder / ".gitmodules").is_file():
        return set()
    pattern = r"^submodule\..*\.path$"
    done = await git.run("config", "-z", "--file", ".gitmodules", "--get-regexp", pattern)
    return {line.partition("\n")[2] for line in done.text.split("\0")}
