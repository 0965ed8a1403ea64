"""A guardrail: it runs a command, keeps the whole output in a file, and gives the beginning to the agent."""

from pathlib import Path

from ralph.model.evidence import Evidence
from ralph.model.words import last_lines
from ralph.workbench.bench import Workbench

TRUNCATED = "... [truncated]"
END = 4096
"""How many bytes at the end of an output are searched for its last lines."""
LINES = 5


async def run_command(
    bench: Workbench, command: str, *, limit: float | None, limit_name: str = "timeouts.guardrail"
) -> Evidence:
    """The evidence of the command. The whole output goes into the log of the bench."""
    ended = await bench.shell(command, limit=limit)
    if ended.timed_out:
        reason = f"it ran longer than {limit_name} ({limit:g} s) and was ended"
    elif ended.code is None:
        reason = f"it could not be started: {ended.err.rstrip('.')}"
    else:
        reason = f"exit code {ended.code}"
    return Evidence(
        check=command,
        passed=ended.code == 0,
        reason=reason,
        exit_code=ended.code,
        output="" if ended.code == 0 else beginning(bench.log, bench.keep),
        output_end="" if ended.code == 0 else end_of(bench.log),
        log=str(bench.log),
        duration=ended.duration,
    )


def end_of(path: Path) -> str:
    """The last lines of a file of any size."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - END))
        return "\n".join(last_lines(file.read(END).decode(errors="replace"), LINES))


def beginning(path: Path, characters: int) -> str:
    """The first characters of a file of any size, with a mark if there are more."""
    with path.open("rb") as file:
        # A character takes at most four bytes; one more shows whether the file goes on.
        data = file.read(characters * 4 + 1)
    text = data.decode(errors="replace")
    return text if len(text) <= characters else text[:characters] + TRUNCATED
