"""Has source files read in a separate process, and reports the files that this process does not survive."""

from collections.abc import Sequence

import msgspec

from ralph.model.errors import StateError
from ralph.plan.outlines import FileOutline, SourceText
from ralph.proc.own_python import own_module
from ralph.syntax.apart import run_apart

PROGRAM = own_module("ralph.plan")
PATIENCE = 60.0
"""How many seconds the process may print nothing, on a loaded machine."""
MOST_RESTARTS = 20
"""How many files may end the process that reads them; after that the rest is not read."""
_DECODER = msgspec.json.Decoder(FileOutline | None)


async def read_outlines(sources: Sequence[SourceText]) -> list[FileOutline | None]:
    """The outline of each file; None for one that crashes the parser or takes too long."""
    found: list[FileOutline | None] = []
    restarts = 0
    while len(found) < len(sources):
        found += await _attempt(sources[len(found) :])
        if len(found) < len(sources):
            # The process did not survive the next file.
            restarts += 1
            found += [None] if restarts <= MOST_RESTARTS else [None] * (len(sources) - len(found))
    return found


async def _attempt(sources: Sequence[SourceText]) -> list[FileOutline | None]:
    """The outlines of the first files, up to the one that ends the process."""
    spoken = await run_apart(PROGRAM, msgspec.msgpack.encode(sources), patience=PATIENCE)
    ready, *lines = spoken.lines or [b""]
    if not ready or (not lines and spoken.complaint):
        raise StateError(f"source files cannot be read: {spoken.complaint}", "Install ralph again.")
    return [_DECODER.decode(line) for line in lines]
