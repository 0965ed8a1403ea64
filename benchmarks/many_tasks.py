"""Does the last task of a long spec cost as much as the first? `python benchmarks/many_tasks.py [TASKS]`.

The agent of each task writes one line to one file, so that the repository stays as large as it is: each task checks
it out, and that costs what its files cost. The agent notes what ralph and all that ralph has waited for have used.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from workshop import RALPH, fastest_place

LIMIT = 1.2
TASKS = 1000
PART = 10
"""The first and the last tenth of the tasks are compared."""
AGENT = """#!/bin/sh
cat /proc/$PPID/stat >> "{samples}"
echo $$ > work.txt
echo '<promise>MADE</promise>'
"""


class Used(NamedTuple):
    own: float
    """CPU seconds of ralph itself."""
    others: float
    """Those of all that it started and waited for: git, the agents, the checks."""


def main(tasks: int) -> int:
    with tempfile.TemporaryDirectory(prefix="ralph-bench-", dir=fastest_place(tasks * 500_000)) as folder:
        samples = _run(Path(folder), tasks)
    each = [Used(now.own - last.own, now.others - last.others) for last, now in pairwise(samples)]
    size = max(1, tasks // PART)
    first, last = _mean(each[:size]), _mean(each[-size:])
    for name, used in (("first", first), ("last", last)):
        print(f"{name} {size} of {tasks} tasks, each: ralph {used.own * 1000:.0f} ms, git {used.others * 1000:.0f} ms")
    ratio = sum(last) / sum(first)
    print(f"{ratio:.2f} x, must reach <= {LIMIT} x: {'ok' if ratio <= LIMIT else 'MISSED'}")
    return 0 if ratio <= LIMIT else 1


def _mean(part: list[Used]) -> Used:
    return Used(fmean(one.own for one in part), fmean(one.others for one in part))


def _run(root: Path, tasks: int) -> list[Used]:
    project, samples = root / "project", root / "samples"
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(root),
        "RALPH_HOME": str(root / ".ralph"),
        "LANG": "C.UTF-8",
    }
    _prepare(root, project, samples, env)
    written = json.dumps([_task(number) for number in range(1, tasks + 1)])
    _call(project, env, str(RALPH), "task", "import", "-", given=written)
    _call(project, env, str(RALPH), "spec", "run", "s", "--quiet")
    return [_used(line) for line in samples.read_text().splitlines()]


def _task(number: int) -> dict[str, object]:
    coder = {"promise": "MADE", "verification_method": "string_match", "max_iterations": 1}
    completion = {"outcome": "It is made.", "acceptance_criteria": ["work.txt is new"], "coder": coder}
    return {"id": f"T-{number}", "spec": "s", "title": f"Make {number}", "completion": completion}


def _prepare(root: Path, project: Path, samples: Path, env: Mapping[str, str]) -> None:
    agent = root / "instant"
    agent.write_text(AGENT.format(samples=samples))
    agent.chmod(0o755)
    settings = {"pipeline": ["coder"], "roles": {"coder": {"agent": str(agent)}}}
    (root / ".ralph").mkdir()
    (root / ".ralph/config.yaml").write_text(json.dumps(settings))
    project.mkdir()
    (project / "work.txt").write_text("none\n")
    _call(project, env, "git", "init", "--quiet")
    _call(project, env, "git", "config", "user.name", "Bench")
    _call(project, env, "git", "config", "user.email", "bench@example.invalid")
    _call(project, env, "git", "add", "--all")
    _call(project, env, "git", "commit", "--quiet", "--message", "base")


def _call(cwd: Path, env: Mapping[str, str], *argv: str, given: str = "") -> None:
    done = subprocess.run(argv, cwd=cwd, env=env, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)[:200]} exited with {done.returncode}: {(done.stderr or done.stdout)[-500:]}")


def _used(stat: str) -> Used:
    *_, fields = stat.rpartition(")")
    user, system, waited_user, waited_system = map(int, fields.split()[11:15])
    tick = os.sysconf("SC_CLK_TCK")
    return Used((user + system) / tick, (waited_user + waited_system) / tick)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else TASKS))
