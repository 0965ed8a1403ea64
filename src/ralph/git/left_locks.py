"""Locks on refs: the lock of a killed git stays, and only ralph removes it from ralph's own refs."""

import asyncio
import re
import time
from pathlib import Path

OWN = ("refs/heads/ralph/", "refs/ralph/", "refs/notes/ralph-proof.", "packed-refs.")
"""The paths of ralph's own locks. Deleting a ref rewrites the packed refs, so a killed git may leave that lock, too."""
OLD = 10.0
"""The age in seconds at which a lock is stale. Moving refs takes milliseconds, so no working git has such a lock."""
PAUSE = 0.1
LOCK = re.compile(r"'([^'\n]*\.lock)': File exists")


async def is_free(common_dir: Path, said: str) -> bool:
    """Whether the lock that git complains about is ralph's own, and is gone after its git has had enough time."""
    found = LOCK.search(said)
    lock = Path(found[1]) if found else None
    if lock is None or not _is_own(common_dir, lock):
        return False
    until = time.monotonic() + OLD + 1
    while _is_held(lock):
        if time.monotonic() > until:
            return False
        await asyncio.sleep(PAUSE)
    return True


def _is_own(common_dir: Path, lock: Path) -> bool:
    try:
        return lock.resolve().relative_to(common_dir.resolve()).as_posix().startswith(OWN)
    except ValueError:
        return False


def _is_held(lock: Path) -> bool:
    """Whether the lock is still held. A lock that is too old is removed."""
    try:
        if time.time() - lock.stat().st_mtime <= OLD:
            return True
        lock.unlink()
    except FileNotFoundError:
        pass
    return False
