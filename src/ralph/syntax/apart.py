"""A separate program of ralph's own that reads untrusted files: a crash or stall of a parser must not affect ralph."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ralph.workbench.bench import Workbench

LONGEST_COMPLAINT = 500


class Spoken(Struct, frozen=True):
    lines: list[bytes]
    """The complete lines that it printed. A line that was cut off when it ended is not among them."""
    complaint: str


async def run_apart(argv: Sequence[str], given: bytes, *, patience: float) -> Spoken:
    """Run the program until it ends, or prints nothing for `patience` seconds."""
    said: list[bytes] = []
    complaints: list[bytes] = []
    bench = Workbench(Path("/"), os.environ, f"apart.{secrets.token_hex(4)}")
    async with bench.start(argv, stdin=given, stdout=said.append, stderr=complaints.append) as process:
        await process.wait(idle=patience)
    lines = b"".join(said).split(b"\n")[:-1]
    return Spoken(lines, b"".join(complaints).decode(errors="replace").strip()[-LONGEST_COMPLAINT:])
