"""Verification by a command: its exit code and its output."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from ralph.checks.command import beginning, end_of, run_command
from ralph.model.evidence import Evidence
from ralph.model.verification import External
from ralph.workbench.bench import Workbench

PIECE = 1 << 20
SHOWN = 200
NOT_STARTED = (126, 127)
"""The exit codes with which a shell says that it could not start the command."""


async def run_external(check: External, bench: Workbench) -> Evidence:
    """The evidence of the command. Whatever the command does, there is evidence and no exception."""
    directory = _inside(bench.folder, check.working_dir)
    if directory is None:
        why = f"working_dir {check.working_dir!r} is not a directory inside the worktree, so nothing was started"
        return Evidence(check.command, passed=False, reason=why)
    try:
        ended = await run_command(
            bench.at(directory), check.command, limit=check.timeout or None, limit_name="its timeout"
        )
        return await asyncio.to_thread(_judged, check, ended, bench.log, bench.keep)
    except ValueError as error:
        # It is a command that no system accepts, such as one with a zero byte.
        return Evidence(check.command, passed=False, reason=f"{_short(check.command)} could not be started: {error}")
    except (FileNotFoundError, IsADirectoryError):
        return Evidence(check.command, passed=False, reason=f"its output is lost: {bench.log.name} was removed")


def _inside(worktree: Path, working_dir: str) -> Path | None:
    try:
        root, directory = worktree.resolve(), (worktree / working_dir).resolve()
        return directory if directory.is_relative_to(root) and directory.is_dir() else None
    except (OSError, RuntimeError, ValueError):
        # Links in a circle, a name that is too long, a zero byte.
        return None


def _judged(check: External, ended: Evidence, log: Path, keep: int) -> Evidence:
    if ended.exit_code is None:
        return replace(ended, passed=False, reason=f"{_short(check.command)}: {ended.reason}")
    wrong = _wrong(check, ended.exit_code, log)
    return replace(
        ended,
        passed=not wrong,
        reason="; ".join(wrong) or f"exit code {ended.exit_code}, as expected",
        output=beginning(log, keep) if wrong else "",
        output_end=end_of(log) if wrong else "",
    )


def _wrong(check: External, exit_code: int, log: Path) -> list[str]:
    wrong: list[str] = []
    if exit_code != check.success_exit_code:
        wrong.append(f"exit code {exit_code}, expected {check.success_exit_code}")
        if exit_code in NOT_STARTED:
            wrong[0] += f": {_short(check.command)} could not be started: {_last_line(log)}"
    if check.output_contains and not _contains(log, check.output_contains):
        wrong.append(f"the output does not contain {_short(check.output_contains)}")
    if check.output_not_contains and _contains(log, check.output_not_contains):
        wrong.append(f"the output contains {_short(check.output_not_contains)}")
    return wrong


def _contains(path: Path, text: str) -> bool:
    """Whether a file of any size contains the text. Memory holds one piece, and the end of the piece before."""
    needle = text.encode(errors="replace")
    held = b""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            held += piece
            if needle in held:
                return True
            held = held[max(0, len(held) - len(needle) + 1) :]
    return False


def _last_line(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4 * SHOWN))
        lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip()[:SHOWN] for line in reversed(lines) if line.strip()), "it printed nothing")


def _short(text: str) -> str:
    words = " ".join(text.split())
    return f'"{words}"' if len(words) <= SHOWN else f'"{words[:SHOWN]}..."'
