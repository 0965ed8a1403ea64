"""Find and end what a process left behind, though agents put their tools into sessions of their own."""

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil


def descendants(root: int | None, tag: str) -> list[psutil.Process]:
    """All below `root`, and all that carry the tag. `tag` is `NAME=value` as it stands in an environment."""
    found: dict[int, psutil.Process] = {}
    if root is not None:
        with suppress(psutil.Error):
            top = psutil.Process(root)
            found = {process.pid: process for process in (top, *top.children(recursive=True))}
    needle = tag.encode()
    for process in psutil.process_iter():
        if process.pid not in found and process.pid != os.getpid() and needle in _environment(process.pid):
            found[process.pid] = process
    return list(found.values())


def signal_all(processes: Iterable[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)


def end(root: int | None, tag: str, *, grace: float = 0.0) -> None:
    """End everything below `root` and everything tagged: TERM and a grace period if asked for, then KILL.

    KILL is repeated until nothing is found: what forks faster than one look sees is found by the next.
    """
    if grace:
        asked = descendants(root, tag)
        signal_all(asked, signal.SIGTERM)
        psutil.wait_procs(asked, timeout=grace)
    for _ in range(50):
        alive = [process for process in descendants(root, tag) if not _is_zombie(process)]
        if not alive:
            break
        signal_all(alive, signal.SIGKILL)
        time.sleep(0.01)
    _reap_adopted(keep=root)


def _reap_adopted(keep: int | None) -> None:
    for child in psutil.Process().children():
        if child.pid != keep and _is_zombie(child):
            with suppress(ChildProcessError):
                os.waitpid(child.pid, os.WNOHANG)


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


def _environment(pid: int) -> bytes:
    try:
        if sys.platform == "linux":
            return Path(f"/proc/{pid}/environ").read_bytes()
        return "\0".join(f"{name}={value}" for name, value in psutil.Process(pid).environ().items()).encode()
    except (OSError, psutil.Error):
        return b""
