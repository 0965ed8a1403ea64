"""The hidden test: a command that no agent has seen says whether delivered work is right."""

import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

RIGHT = "truly right"
PATIENCE = 30.0


def python_proof(*lines: str) -> str:
    """A command that executes these lines in the delivered folder, and then prints that the work is right."""
    source = "\n".join(["import sys", "sys.path.insert(0, '.')", *lines, f"print({RIGHT!r})"])
    return f"python -B -c {shlex.quote(source)}"


def node_proof(*lines: str) -> str:
    must = "const must = (met) => { if (!met) { process.exit(1); } };"
    source = "\n".join([must, *lines, f"console.log({RIGHT!r});"])
    return f"node -e {shlex.quote(source)}"


def shell_proof(*lines: str) -> str:
    return " && ".join([*lines, f"echo {shlex.quote(RIGHT)}"])


def is_right(folder: Path, hidden: str, env: Mapping[str, str]) -> bool:
    """Whether the hidden test passes in the folder. Compiled files that were delivered with it do not count."""
    with TemporaryDirectory(prefix="honesty-cache-") as cache:
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", hidden],
                cwd=folder,
                env={**env, "PYTHONPYCACHEPREFIX": cache},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0 and done.stdout.strip().endswith(RIGHT)
