"""The row of the speed table about chunks: what an iteration that is taken back costs, beside what git itself does."""

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

from measure import cost, interleaved
from rows import Row, compared
from workshop import RALPH, SHORT, Workshop

FEW, MANY = 3, 23
ROUNDS = 3
FILES = 300
LIMIT = 6.0
CHECK = "test -e done.txt"
AGENT = """#!/bin/sh
cat > /dev/null
date +%s%N > work.txt
exec cat {begin} {short}
"""
BY_HAND = """
set -e
git worktree add --quiet --detach "$1/work"
git worktree add --quiet --detach "$1/check"
base=$(git rev-parse HEAD)
i=0
while [ $i -lt $2 ]; do
    i=$((i+1))
    (cd "$1/work" && {agent} < /dev/null > ../log.$i)
    git -C "$1/work" add --all
    git -C "$1/work" commit --quiet --message "Attempt $i"
    commit=$(git -C "$1/work" rev-parse HEAD)
    git -C "$1/check" checkout --quiet --detach $commit
    (cd "$1/check" && sh -c '{check}') && exit 0
    git update-ref refs/attempts/$i $commit
    git -C "$1/work" reset --quiet --hard $base
    git -C "$1/work" clean --quiet -fd
done
exit 1
"""


def chunk(shop: Workshop) -> list[Row]:
    """One more iteration whose required step fails: the difference between many and few, so that start-up does not
    count. By hand: the agent, a commit, a checkout of it for the step, a ref for the attempt, and a reset.
    """
    program = shop.root / "chunk-agent" / "claude"
    program.parent.mkdir()
    program.write_text(AGENT.format(begin=shop.root / "begin", short=shop.root / SHORT))
    program.chmod(0o755)
    places = iter(range(1000))

    def new() -> Path:
        return _project(shop, shop.root / f"chunks-{next(places)}", program)

    sides = {
        f"{name} {n}": partial(measure, shop, new, program, n)
        for n in (FEW, MANY)
        for name, measure in (("git", _by_hand), ("ralph", _by_ralph))
    }
    samples = interleaved(sides, rounds=ROUNDS)
    # What disturbs a measurement only adds to it, so the least of several is the nearest to the truth.
    git, ralph = (
        (min(samples[f"{name} {MANY}"]) - min(samples[f"{name} {FEW}"])) / (MANY - FEW) * 1000
        for name in ("git", "ralph")
    )
    return [compared("CPU per iteration of a chunk that is taken back", ralph, git, LIMIT, samples)]


def _by_hand(shop: Workshop, new: Callable[[], Path], program: Path, iterations: int) -> float:
    project = new()
    script = BY_HAND.format(agent=program, check=CHECK)
    trees = f"{project}-trees"
    return _measured(shop, project, ["sh", "-c", script, "sh", trees, str(iterations)])


def _by_ralph(shop: Workshop, new: Callable[[], Path], _program: Path, iterations: int) -> float:
    project = new()
    task = {"id": "T-1", "spec": "s", "title": "Work", "description": "Work on it.", "max_iterations": iterations}
    subprocess.run(
        [RALPH, "task", "import", "-", "--without-criteria"],
        cwd=project,
        env=shop.env,
        input=json.dumps(task).encode(),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return _measured(shop, project, [str(RALPH), "task", "run", "T-1", "--quiet"])


def _measured(shop: Workshop, project: Path, argv: list[str]) -> float:
    used = cost(argv, cwd=project, env=shop.env)
    if used.code != 1:
        raise SystemExit(f"{argv[0]} exited with {used.code} instead of 1 in {project}")
    return used.cpu


def _project(shop: Workshop, folder: Path, program: Path) -> Path:
    """A repository of some files, and the settings of a loop with one step and no reviewer."""
    folder.mkdir()
    for number in range(FILES):
        (folder / f"module_{number}.txt").write_text(f"{number}\n" * 50)
    settings = {
        "agent": {"command": str(program)},
        "defaults": dict.fromkeys(("quickReviewer", "deepReviewer", "finalReviewer"), "none"),
        "verification": {"steps": [{"name": "Done", "command": CHECK}]},
        "sandbox": "none",
    }
    (folder / ".ralph").mkdir()
    (folder / ".ralph/settings.json").write_text(json.dumps(settings))
    (folder / ".gitignore").write_text(".ralph/\n")
    who = (("config", "user.name", "ralph"), ("config", "user.email", "ralph@localhost"))
    for command in (("init", "--quiet"), *who, ("add", "--all"), ("commit", "--quiet", "--message", "Begin")):
        subprocess.run(["git", *command], cwd=folder, env=shop.env, check=True)
    return folder


CHUNKS = (chunk,)
