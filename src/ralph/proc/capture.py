"""Runs a short command and keeps the beginning of its output."""

import os
import secrets
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from ralph.proc.marks import TAG
from ralph.proc.reaper import TOKEN, live, start_marked, started

LONGEST = 64 * 1024


class Captured(Struct, frozen=True):
    code: int | None
    """The exit code; None if it was not found, could not be started or did not end in time."""
    output: str


def capture(
    argv: Sequence[str],
    *,
    timeout: float,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    given: bytes = b"",
) -> Captured:
    """Run the command. `given` is its standard input."""
    # It is a file and not a pipe: a child that outlives the command cannot keep us waiting for the end of the output.
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
        source.write(given)
        source.seek(0)
        code = _run(argv, source.fileno(), sink.fileno(), timeout=timeout, cwd=cwd, env=env)
        sink.seek(0)
        return Captured(code, sink.read(LONGEST).decode(errors="replace"))


def _run(
    argv: Sequence[str], source: int, sink: int, *, timeout: float, cwd: Path | None, env: Mapping[str, str] | None
) -> int | None:
    tag = f"capture.{secrets.token_hex(4)}"
    begin = partial(
        subprocess.Popen,
        argv,
        stdin=source,
        stdout=sink,
        stderr=sink,
        cwd=cwd,
        env={**(os.environ if env is None else env), TAG: f"{TOKEN}.{tag}"},
        start_new_session=True,
    )
    try:
        child = start_marked(tag, begin)
    except OSError:
        return None
    live.add(tag)
    try:
        return child.wait(timeout)
    except subprocess.TimeoutExpired:
        from ralph.proc.tree import end

        end(child.pid, tag)
        child.wait()
        return None
    finally:
        started.discard(child.pid)
        live.discard(tag)
