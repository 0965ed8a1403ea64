"""A guardrail: run a command, keep its whole output in a file, and give the beginning to the agent."""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ralph.agents.redact import redact_file
from ralph.model.errors import AgentUnusable
from ralph.model.evidence import Evidence
from ralph.proc import spawn
from ralph.store.files import create

TRUNCATED = "... [truncated]"


def shell_argv(command: str, *, windows: bool = os.name == "nt") -> list[str]:
    """The user wrote it for a shell, so a shell gets it."""
    return ["cmd", "/c", command] if windows else ["sh", "-c", command]


async def run_command(
    command: str,
    *,
    cwd: Path,
    env: Mapping[str, str],
    attempt: str,
    log: Path,
    limit: float | None,
    limit_name: str = "timeouts.guardrail",
    keep: int,
    secrets: Sequence[bytes] = (),
) -> Evidence:
    """Standard output and error go straight into the log: no output is too much for it."""
    began = time.monotonic()
    file = create(log)
    ending = "exited"
    try:
        async with spawn(shell_argv(command), cwd=cwd, env=env, attempt=attempt, stdout=file) as process:
            ending = await process.wait(limit=limit)
            exit_code = process.exit_code
        reason = f"exit code {exit_code}"
    except AgentUnusable as error:
        exit_code, reason = None, f"it could not be started: {error.message.rstrip('.')}"
    finally:
        os.close(file)
    redact_file(log, secrets)
    if ending == "timeout":
        exit_code, reason = None, f"it ran longer than {limit_name} ({limit:g} s) and was ended"
    return Evidence(
        check=command,
        passed=exit_code == 0,
        reason=reason,
        exit_code=exit_code,
        output="" if exit_code == 0 else beginning(log, keep),
        log=str(log),
        duration=time.monotonic() - began,
    )


def beginning(path: Path, characters: int) -> str:
    """The first characters of a file of any size, marked if there are more."""
    with path.open("rb") as file:
        # A character takes at most four bytes; one more tells whether the file goes on.
        data = file.read(characters * 4 + 1)
    text = data.decode(errors="replace")
    return text if len(text) <= characters else text[:characters] + TRUNCATED
