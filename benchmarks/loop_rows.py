"""The rows of the speed table about loops: many at once with one database, and one that goes on for long."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from measure import median
from rows import Row
from workshop import MEGABYTE, RALPH, Workshop

LOOPS, ITERATIONS = 50, 8
PRIVATE = 25.0
EARLY, LONG = 200, 2000
FILES = 2100
FLAT = 2.0
"""Megabytes by which a loop may have grown between its early and its last iterations."""
PATIENCE = 100.0
WAITING = """#!/bin/sh
cd "${{0%/*}}"
read n < starts || n=0
echo $((n += 1)) > starts
[ $n -lt {last} ] || while [ ! -e ../go ]; do sleep 0.1; done
echo Not yet.
"""
WATCHED = """#!/bin/sh
cd "${{0%/*}}"
read n < starts || n=0
echo $((n += 1)) > starts
case $n in {early} | {last}) grep VmRSS /proc/$PPID/status >> grown;; esac
echo Not yet.
"""
INTEGRITY = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone()[0])"


class Private(NamedTuple):
    """Megabytes that nobody else has."""

    ralph: float
    watcher: float


def at_once(shop: Workshop) -> list[Row]:
    """Each is looked at in its last iteration, which none leaves before all are in it."""
    folders = [_loop(shop.root / "at-once" / str(number), WAITING.format(last=ITERATIONS)) for number in range(LOOPS)]
    started = [_start(shop, folder, ITERATIONS) for folder in folders]
    try:
        _wait(lambda: all(_starts(folder) == ITERATIONS for folder in folders) or any(map(_is_over, started)))
        used = [_private(each.pid) for each in started]
        (shop.root / "at-once" / "go").touch()
        _wait(lambda: all(map(_is_over, started)))
    finally:
        for each in started:
            each.kill()
    _require_no_error(shop, started)
    ralph, watcher = ([getattr(each, name) for each in used] for name in Private._fields)
    beside = f"median {median(ralph):.1f} MB, watcher apart {max(watcher):.1f} MB"
    what = f"private memory, each of {LOOPS} loops at once"
    return [Row(what, f"{max(ralph):.1f} MB", beside, max(ralph), PRIVATE, "MB", {"ralph": ralph, "watcher": watcher})]


def long(shop: Workshop) -> list[Row]:
    """Many iterations without guardrails."""
    folder = _loop(shop.root / "long-run", WATCHED.format(early=EARLY, last=LONG))
    if (code := _start(shop, folder, LONG).wait(PATIENCE * 3)) != 1:
        raise SystemExit(f"a run of {LONG} iterations exited with {code} instead of 1")
    files = sum(len(names) for _, _, names in os.walk(folder / ".ralph"))
    early, late = (int(line.split()[1]) * 1024 / MEGABYTE for line in (folder / "grown").read_text().splitlines())
    what = f"a run of {LONG:,} iterations"
    return [
        Row(f"{what}: files", f"{files}", "", files, FILES, "files", {}),
        Row(f"{what}: memory", f"{late:.1f} MB", f"at {EARLY}: {early:.1f} MB", abs(late - early), FLAT, "MB", {}),
    ]


def _loop(folder: Path, agent: str) -> Path:
    """A project with an agent of its own."""
    folder.mkdir(parents=True)
    (folder / "agent").write_text(agent)
    (folder / "agent").chmod(0o755)
    return folder


def _start(shop: Workshop, folder: Path, iterations: int) -> "subprocess.Popen[bytes]":
    argv = [RALPH, "run", "--quiet", "-p", "Work.", "--agent", folder / "agent", "-m", str(iterations)]
    return subprocess.Popen(
        argv, cwd=folder, env=shop.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def _is_over(process: "subprocess.Popen[bytes]") -> bool:
    return process.poll() is not None


def _starts(folder: Path) -> int:
    with suppress(OSError, ValueError):
        return int((folder / "starts").read_text())
    return 0


def _wait(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            raise SystemExit(f"{LOOPS} loops at once did not come to where they were to be")
        time.sleep(0.1)


def _private(pid: int) -> Private:
    """Of ralph, and of the process that ends what a killed ralph leaves behind."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    watchers = [each for each in children if b"guard_program" in Path(f"/proc/{each}/cmdline").read_bytes()]
    if len(watchers) != 1:
        raise SystemExit(f"the loop of process {pid} has {len(watchers)} watchers")
    return Private(_private_megabytes(pid), _private_megabytes(int(watchers[0])))


def _private_megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_")) / MEGABYTE


def _require_no_error(shop: Workshop, started: list["subprocess.Popen[bytes]"]) -> None:
    codes = {each.wait() for each in started}
    checked = subprocess.run(
        [sys.executable, "-c", INTEGRITY, shop.home / "ralph.db"], check=True, stdout=subprocess.PIPE, text=True
    )
    if codes != {1} or checked.stdout.strip() != "ok":
        raise SystemExit(f"{LOOPS} loops at once: exit codes {codes}, integrity {checked.stdout.strip()}")


LOOPING: tuple[Callable[[Workshop], list[Row]], ...] = (at_once, long)
