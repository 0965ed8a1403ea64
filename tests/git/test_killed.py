"""Ralph is killed at each of its calls of git, before git has done it or after: done again, all is as it should be."""

import asyncio
import shutil
import sys
from itertools import count
from pathlib import Path

import msgspec
import pytest

from ralph.git.delivery import deliver_and_remove
from ralph.git.repository import Repository
from ralph.git.worktree import prepare
from ralph.testing import temp_repo
from ralph.workbench.bench import Workbench

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
PROGRAM = """
import asyncio, msgspec, os, sys
from pathlib import Path
from ralph.git.delivery import deliver_and_remove
from ralph.git.repository import Repository
from ralph.git.worktree import prepare
from ralph.kernel.actions.tasks import Worktree
from ralph.workbench.bench import Workbench

project = Path(sys.argv[1])
repository = Repository(Workbench(project, os.environ, "killed"))
"""
PREPARE = f"{PROGRAM}asyncio.run(prepare(repository, project=project, spec='s', task='T-1'))\n"
DELIVER = f"""{PROGRAM}
made = msgspec.json.decode(sys.argv[2], type=Worktree)
asyncio.run(deliver_and_remove(repository, made, message='Do it'))
"""


def killed(repo, root, program, last, *given, after):
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
    return ended.returncode == KILLED


def open_task(repo):
    return asyncio.run(
        prepare(Repository(Workbench(repo.path, repo.env, "r")), project=repo.path, spec="s", task="T-1")
    )


@pytest.mark.e2e
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_while_it_opens_a_worktree(tmp_path, after):
    for last in count():
        root = tmp_path / str(last)
        repo = temp_repo(root, {"a.txt": "1\n"})
        going_on = killed(repo, root, PREPARE, last, after=after)
        made = open_task(repo)
        assert made.base == repo.git("rev-parse", "main").strip()
        assert (Path(made.path) / "a.txt").read_text() == "1\n"
        assert repo.git("-C", made.path, "status", "--porcelain", "--branch") == f"## {made.branch}\n"
        if not going_on:
            break
    assert last >= 3


@pytest.mark.e2e
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_while_it_delivers(tmp_path, after):
    for last in count():
        root = tmp_path / str(last)
        repo = temp_repo(root, {"a.txt": "1\n"})
        made = open_task(repo)
        (Path(made.path) / "a.txt").write_text("2\n")
        tip = asyncio.run(Repository(Workbench(Path(made.path), repo.env, "r")).commit_all("a step")).commit
        going_on = killed(repo, root, DELIVER, last, msgspec.json.encode(made).decode(), after=after)
        again = asyncio.run(deliver_and_remove(Repository(Workbench(repo.path, repo.env, "r")), made, message="Do it"))
        assert (again.commit, again.problem, again.left) == (repo.git("rev-parse", "ralph/s").strip(), "", "")
        assert repo.git("log", "--reverse", "--format=%s", "ralph/s").splitlines() == ["base", "Do it"]
        assert repo.git("show", "ralph/s:a.txt") == "2\n"
        assert repo.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/ralph").split() == [
            "refs/ralph/done/T-1",
            tip,
        ]
        assert repo.git("branch", "--list", "ralph/s--*") == ""
        assert list((repo.path / ".ralph/worktrees").iterdir()) == []
        assert len(repo.git("worktree", "list").splitlines()) == 1
        if not going_on:
            break
    assert last >= 6
