"""Run a short command and take the beginning of what it says."""

import os
import secrets
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ralph.proc.reaper import live, mark, started

LONGEST = 64 * 1024


class Captured(Struct, frozen=True):
    code: int | None
    """Empty if it was not found, could not be started or did not end in time."""
    output: str


def capture(
    argv: Sequence[str], *, timeout: float, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Captured:
    # A file, not a pipe: a child that outlives the command cannot keep us waiting for the end of the output.
    with tempfile.TemporaryFile() as sink:
        code = _run(argv, sink.fileno(), timeout=timeout, cwd=cwd, env=env)
        sink.seek(0)
        return Captured(code, sink.read(LONGEST).decode(errors="replace"))


def _run(
    argv: Sequence[str], sink: int, *, timeout: float, cwd: Path | None, env: Mapping[str, str] | None
) -> int | None:
    marked = mark(f"capture.{secrets.token_hex(4)}")
    name, _, value = marked.partition("=")
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            cwd=cwd,
            env={**(os.environ if env is None else env), name: value},
            start_new_session=True,
        )
    except OSError:
        return None
    started.add(child.pid)
    live.add(marked)
    try:
        return child.wait(timeout)
    except subprocess.TimeoutExpired:
        from ralph.proc.tree import end

        end(child.pid, marked)
        child.wait()
        return None
    finally:
        started.discard(child.pid)
        live.discard(marked)
