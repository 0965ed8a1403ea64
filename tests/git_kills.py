"""Run a program of ralph's that is killed at one of its calls of git, before git has done it or after."""

import shutil
import sys
from pathlib import Path

KILLED = -9
GIT = """#!/bin/sh
n=$(cat "{folder}/calls")
echo $((n + 1)) > "{folder}/calls"
if [ "$n" = "{last}" ]; then
    {before_the_end}
    kill -9 $PPID
    exit 1
fi
exec "{git}" "$@"
"""


def killed(repo, root: Path, program: str, last: int, *given: str, after: bool) -> bool:
    """Whether the program came to that call at all."""
    folder = root / "killing"
    folder.mkdir()
    (folder / "calls").write_text("0")
    git = shutil.which("git")
    done = f'"{git}" "$@"' if after else ":"
    (folder / "git").write_text(GIT.format(folder=folder, last=last, git=git, before_the_end=done))
    (folder / "git").chmod(0o755)
    env = {"PATH": f"{folder}:{repo.env['PATH']}"}
    ended = repo.run(sys.executable, "-c", program, str(repo.path), *given, env=env)
    assert ended.returncode in (0, KILLED), ended.stderr
    # One that answers while the program runs may end, and kill, after all is done.
    return int((folder / "calls").read_text()) > last
