"""The state of a working tree according to git: all in one question, because each question is a process."""

import os
import re
from pathlib import Path

from msgspec import Struct

from ralph.git.command import NO_REPOSITORY, Git, words_of
from ralph.model.errors import ConfigError
from ralph.workbench.bench import Ended

HEADS = "refs/heads/"
DETACHED = "HEAD"
PLACES = (
    *("--is-inside-work-tree", "--is-bare-repository", "--git-dir", "--git-common-dir", "--show-prefix"),
    "--show-toplevel",
)
# The places come first: git prints what it knows before it fails if there is no commit.
QUESTIONS = (*PLACES, "HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD", "--")
BEGIN = 'git add --all && git commit -m "Begin"'
HASH = re.compile(r"[0-9a-f]{40,}")


class Checkout(Struct, frozen=True):
    """The state at the moment of the question: an agent may have changed any of it by the next action."""

    top: Path
    git_dir: Path
    common_dir: Path
    """The common git directory: the same as `git_dir`, unless this is a linked worktree."""
    prefix: str
    """The folder that was asked about, relative to the top; empty at the top."""
    head: str = ""
    """The commit; empty if there is none yet, as is `tree`. `branch` is empty if none is checked out."""
    tree: str = ""
    branch: str = ""

    @property
    def is_linked(self) -> bool:
        return self.git_dir != self.common_dir


async def look(git: Git) -> Checkout:
    asked = await git.run("rev-parse", *QUESTIONS)
    found = await _found(git, asked)
    if found is None:
        raise git.failed("rev-parse", asked)
    return found


async def look_if_any(git: Git) -> Checkout | None:
    """The state; None if the folder is not a working tree any more."""
    return await _found(git, await git.run("rev-parse", *QUESTIONS))


async def look_unless_refused(git: Git) -> Checkout | None:
    """The state of a folder in a repository; None if it is not a working tree. A repository that git refuses to open
    is an error: a caller that ignored it would prove nothing, and nobody would notice.
    """
    asked = await git.run("rev-parse", *QUESTIONS)
    if asked.text:
        _refuse_path(git.folder)
    found = await _found(git, asked)
    if found is None and asked.code and not asked.text:
        raise _unusable(git.folder, asked)
    if found is None and _is_called_bare(git.folder, asked):
        raise ConfigError(
            f"the setting core.bare of {git.folder} says that it has no files, so git does not look at them.",
            "Correct it: git config core.bare false",
        )
    return found


async def require(git: Git) -> Checkout:
    """The state of a working tree that has a commit to begin from. It raises an error otherwise."""
    _refuse_path(git.folder)
    asked = await git.run("rev-parse", *QUESTIONS)
    found = await _found(git, asked)
    if found is None:
        raise _refusal(git.folder, asked)
    if not found.head:
        raise ConfigError(
            f"the git repository {git.folder} has no commit yet.",
            f"Make the first commit: {BEGIN}",
        )
    return found


async def _found(git: Git, asked: Ended) -> Checkout | None:
    answers = asked.text.split("\n")
    if len(answers) < len(PLACES):
        return None
    _, _, git_dir, common_dir, prefix, top, *rest = answers
    head, tree = rest[:2] if rest[1:] and all(map(HASH.fullmatch, rest[:2])) else ("", "")
    ref = next((line for line in rest if line == DETACHED or line.startswith("refs/")), None)
    if ref is None:
        # There is no commit yet, or an agent has made a branch of the name HEAD.
        ref = (await git.run("symbolic-ref", "--quiet", "HEAD")).text
    return Checkout(
        top=Path(top),
        git_dir=(git.folder / git_dir).resolve(),
        common_dir=(git.folder / common_dir).resolve(),
        prefix=prefix,
        head=head,
        tree=tree,
        branch=ref.removeprefix(HEADS) if ref.startswith(HEADS) else "",
    )


def _is_called_bare(folder: Path, asked: Ended) -> bool:
    """Whether its settings call it bare, although its git directory is a folder of its own."""
    answers = asked.text.split("\n")
    return answers[1:2] == ["true"] and (folder / "".join(answers[2:3])).resolve() != folder.resolve()


def _refuse_path(folder: Path) -> None:
    if not folder.is_dir():
        raise ConfigError(f"the directory {folder} is gone.", "Run ralph where the project is.")
    if "\n" in os.path.realpath(folder):
        # Git ends each answer with a newline.
        raise ConfigError(f"the path {str(folder)!a} has a line break in it.", "Rename the directory.")


def _refusal(folder: Path, asked: Ended) -> ConfigError:
    answers = asked.text.split("\n")
    if answers[1:2] == ["true"]:
        return ConfigError(f"{folder} is a bare repository.", "Run ralph in a clone with a working tree.")
    if answers[0] == "false":
        return ConfigError(f"{folder} is inside a .git directory.", "Run ralph in the working tree.")
    return _unusable(folder, asked)


def _unusable(folder: Path, asked: Ended) -> ConfigError:
    if asked.code is None:
        return ConfigError("git cannot be started, and tasks run in git worktrees.", "Install git: ralph doctor")
    if "dubious ownership" in asked.err:
        return ConfigError(
            f"{folder} belongs to another user, so git does not open it.",
            f"If you trust it: git config --global --add safe.directory {folder}",
        )
    if NO_REPOSITORY in asked.err:
        return ConfigError(
            f"{folder} is not a git repository.", f"Restore its .git, or create one: git init && {BEGIN}"
        )
    return ConfigError(f"git cannot read {folder}: {words_of(asked).rstrip('.')}.", "Fix the repository.")
