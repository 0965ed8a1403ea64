"""What a clean checkout of the work costs, in seconds of CPU time of this process and all its children; as JSON.

usage: python benchmarks/verifying.py claim|checkout FOLDER
A program of its own, so that the process that measures others stays small.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from ralph.git.repository import Repository
from ralph.git.verification import VerificationWorktree
from ralph.testing import TempRepo, temp_repo
from ralph.workbench.bench import Workbench

LINES = "x = 1\n" * 50
IN_A_FOLDER = 100
CLAIM_FILES, CHECKOUT_FILES = 10_000, 50_000
CHANGED = 10
CLAIMS, CHECKOUTS = 11, 3
CHECK = ("-I", "-c", "import time\nwhile time.process_time() < 1: pass")
SECONDS = 600

Samples = dict[str, list[float]]


def claim(folder: Path) -> Samples:
    """A check that takes a second, in the user's tree; and on a clean checkout of it, with ten files changed each time.

    What is judged is composed of the user's files first, and afterwards it is seen that the check has changed nothing.
    """
    repo = _repository(folder, CLAIM_FILES)
    return asyncio.run(_claims(repo))


async def _claims(repo: TempRepo) -> Samples:
    repository = _opened(repo)
    worktree = await VerificationWorktree.open(repository, repo.path, "bench")
    await worktree.at(await repository.snapshot())
    samples: Samples = {"check": [], "ralph": []}
    for number in range(CLAIMS):
        for file in range(CHANGED):
            repo.write(f"d{file}/f{number}.py", f"# changed {number}\n{LINES}")
        samples["check"].append(await _measured(lambda: _check(repo.path)))
        samples["ralph"].append(await _measured(lambda: _judged(repository, worktree)))
    await worktree.remove()
    return samples


async def _judged(repository: Repository, worktree: VerificationWorktree) -> None:
    tree = await repository.snapshot()
    await _check(await worktree.at(tree))
    if await worktree.differs(tree):
        raise SystemExit("the checkout is not what it should be")


async def _check(folder: Path) -> None:
    await asyncio.to_thread(subprocess.run, [sys.executable, *CHECK], cwd=folder, check=True)


def checkout(folder: Path) -> Samples:
    """A first checkout, by git alone and by ralph, which proves by hash what it has; and what it costs once more."""
    repo = _repository(folder, CHECKOUT_FILES)
    return asyncio.run(_checkouts(repo, folder))


async def _checkouts(repo: TempRepo, folder: Path) -> Samples:
    repository = _opened(repo)
    samples: Samples = {"git": [], "ralph": [], "again": []}
    for number in range(CHECKOUTS):
        plain = folder / f"plain-{number}"
        samples["git"].append(await _measured(lambda place=plain: _plain(repo, place)))
        worktree = await VerificationWorktree.open(repository, repo.path, str(number))
        for name in ("ralph", "again"):
            samples[name].append(await _measured(lambda tree=worktree: tree.at("HEAD")))
        # Nothing is deleted meanwhile: some file systems are much slower after that.
        worktree.close()
    return samples


async def _plain(repo: TempRepo, place: Path) -> None:
    _git(repo, "worktree", "add", "--quiet", "--detach", "--no-checkout", str(place), "HEAD")
    _git(repo, "-C", str(place), "checkout", "HEAD", "--", ".")


async def _measured(what: Callable[[], Awaitable[object]]) -> float:
    began = _cpu()
    await what()
    return _cpu() - began


def _cpu() -> float:
    return sum(os.times()[:4])


def _opened(repo: TempRepo) -> Repository:
    return Repository(Workbench(repo.path, repo.env, "bench"))


def _repository(folder: Path, files: int) -> TempRepo:
    repo = temp_repo(folder)
    for number in range(files):
        repo.write(f"d{number // IN_A_FOLDER}/f{number % IN_A_FOLDER}.py", f"# {number}\n{LINES}")
    _git(repo, "add", "--all")
    _git(repo, "commit", "--quiet", "--message", "many")
    _git(repo, "repack", "-adq")
    return repo


def _git(repo: TempRepo, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=repo.path, env=repo.env, check=True, timeout=SECONDS)


MEASURES = {"claim": claim, "checkout": checkout}

if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]](Path(sys.argv[2]))))
