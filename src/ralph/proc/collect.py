"""Run a command to its end without blocking the loop, and take the beginning of what it says."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ralph.model.errors import AgentUnusable
from ralph.proc.capture import LONGEST, Captured
from ralph.proc.spawn import spawn


async def collect(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], attempt: str, limit: float | None = None
) -> Captured:
    pieces: list[bytes] = []
    room = LONGEST

    def take(data: bytes) -> None:
        nonlocal room
        pieces.append(data[:room])
        room -= len(pieces[-1])

    try:
        async with spawn(argv, cwd=cwd, env=env, attempt=attempt, stdout=take) as process:
            ending = await process.wait(limit=limit)
            code = process.exit_code if ending == "exited" else None
    except AgentUnusable as error:
        return Captured(None, str(error))
    return Captured(code, b"".join(pieces).decode(errors="replace"))
