"""The result of a look at this machine, and how a program is asked."""

import re
import time
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from msgspec import Struct

from ralph.model.words import visible
from ralph.proc.capture import capture

Status = Literal["ok", "note", "warning", "missing"]

PATIENCE = 5.0
"""How many seconds a program may take to answer."""
LONGEST_LINE = 100


class Finding(Struct, frozen=True):
    name: str
    status: Status
    detail: str
    hint: str = ""


Findings = Iterable[Finding]


class Answer(NamedTuple):
    code: int | None
    line: str
    """The first line with content."""
    late: bool


def ask(argv: list[str], env: Mapping[str, str] | None = None) -> Answer:
    begun = time.monotonic()
    said = capture(argv, timeout=PATIENCE, env=env)
    line = next((text for text in map(_shown, said.output.splitlines()) if text), "")
    return Answer(said.code, line[:LONGEST_LINE], late=said.code is None and time.monotonic() - begun >= PATIENCE)


def complaint(answer: Answer) -> str:
    if answer.late:
        return f"it gave no answer in {PATIENCE:g} seconds"
    if answer.code is None:
        return "it could not be started"
    return f"it failed with exit code {answer.code}" + (f": {answer.line}" if answer.line else "")


def _shown(text: str) -> str:
    """The line without its colours."""
    return visible(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)).strip()
