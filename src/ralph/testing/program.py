"""The real `ralph` program, started as a user starts it."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess

from ralph.testing.repo import TempRepo


def run_ralph(
    repo: TempRepo,
    *args: str,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
    input: str | None = None,  # noqa: A002 - as subprocess.run calls it
) -> CompletedProcess[str]:
    """Run `ralph ARGS` in the repository; see `TempRepo.run`."""
    return repo.run(ralph_program(), *args, env=env, timeout=timeout, input=input)


def ralph_program() -> str:
    """The `ralph` that was installed together with this package."""
    beside = Path(sys.executable).with_name("ralph")
    found = str(beside) if beside.exists() else shutil.which("ralph")
    if found is None:
        raise FileNotFoundError("ralph is not installed beside this Python, and not on PATH")
    return found
