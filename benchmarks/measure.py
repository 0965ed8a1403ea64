"""What a command costs: the CPU time of its whole process tree, and its largest memory."""

import os
import resource
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Timer
from typing import NamedTuple

LONGEST = 100.0
"""Seconds that any one command may take: a benchmark that hangs must end by itself."""
KILOBYTE = 1 if sys.platform == "darwin" else 1024
"""The unit of ru_maxrss."""


class Cost(NamedTuple):
    cpu: float
    """User and system seconds of the process and of all its descendants."""
    peak: int
    """Bytes of the largest process of the tree."""
    code: int


def cost(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], through_pipe: bool = False) -> Cost:
    """Run the command to its end. `through_pipe` reads what it prints and throws it away."""
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if through_pipe else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    guard = Timer(LONGEST, os.killpg, (process.pid, signal.SIGKILL))
    guard.start()
    try:
        if process.stdout:
            while os.read(process.stdout.fileno(), 1 << 20):
                pass
            process.stdout.close()
        _, status, used = os.wait4(process.pid, 0)
    finally:
        guard.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * KILOBYTE, process.returncode)


def own_peak() -> int:
    """Linux counts the memory of the process that started it into a process's peak: this one must stay small."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KILOBYTE


def interleaved(measures: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """A B C A B C ...: what disturbs the machine for a while disturbs all of them."""
    samples: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            samples[name].append(measure())
    return samples


def median(values: Iterable[float]) -> float:
    return statistics.median(values)
