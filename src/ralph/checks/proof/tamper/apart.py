"""Has a change read in a separate process, and reports a file that this process does not survive."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph.checks.proof.tamper.source import FileChange
from ralph.model.errors import StateError
from ralph.model.proof import Finding
from ralph.proc.own_python import own_module
from ralph.syntax.apart import run_apart

PROGRAM = own_module("ralph.checks.proof.tamper")
PATIENCE = 30.0
"""How many seconds one file may take. The largest take about one."""
MOST_RESTARTS = 3


class At(Struct, tag="at"):
    """The file that is read next; an empty one means that all are read, and the findings are compared."""

    path: str


class Done(Struct, tag="done"):
    findings: tuple[Finding, ...]


class Failed(Struct, tag="failed"):
    message: str
    hint: str


Word = At | Done | Failed
_DECODER = msgspec.json.Decoder(Word)


async def read_apart(changes: Sequence[FileChange]) -> list[Finding]:
    """The findings in a change. A file that the reading process does not survive is one of them."""
    left = list(changes)
    found: list[Finding] = []
    for _ in range(MOST_RESTARTS):
        match last := await _attempt(left):
            case Done():
                return [*found, *last.findings]
            case Failed():
                raise StateError(last.message, f"{last.hint} Or switch this off: tamper: off")
            case At(path=""):
                break
            case At():
                text = f"reading {last.path} crashes the parser or takes too long"
                found.append(Finding("unreadable", "block", text, last.path))
                left = [_blank(change) if change.path == last.path else change for change in left]
    return [*found, Finding("unreadable", "block", "the change cannot be read: it crashes the process that reads it")]


def _blank(change: FileChange) -> FileChange:
    """The change without its text, so that nothing else is reported about it."""
    return replace(change, base=None, head=None, is_allowed=True)


async def _attempt(changes: list[FileChange]) -> Word:
    """The last word of the reading process."""
    spoken = await run_apart(PROGRAM, msgspec.msgpack.encode(changes), patience=PATIENCE)
    if not spoken.lines:
        raise StateError(
            f"the change cannot be read for tampering: {spoken.complaint}", "Install ralph again, or: tamper: off"
        )
    return _DECODER.decode(spoken.lines[-1])
