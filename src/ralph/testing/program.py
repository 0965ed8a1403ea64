"""The real `ralph` program, started as a user starts it."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ralph.testing.repo import TempRepo


def run_ralph(
    repo: TempRepo,
    *args: str,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
    input: str | None = None,  # noqa: A002 - as subprocess.run calls it
) -> subprocess.CompletedProcess[str]:
    """Run `ralph ARGS` in the repository with its clean environment, plus `env`; after `timeout` end all of it."""
    process = subprocess.Popen(
        [ralph_program(), *args],
        cwd=repo.path,
        env={**repo.env, **(env or {})},
        stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(input, timeout=timeout)
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return subprocess.CompletedProcess(list(args), process.returncode, stdout, stderr)


def ralph_program() -> str:
    """The `ralph` that was installed together with this package."""
    beside = Path(sys.executable).with_name("ralph")
    found = str(beside) if beside.exists() else shutil.which("ralph")
    if found is None:
        raise FileNotFoundError("ralph is not installed beside this Python, and not on PATH")
    return found
