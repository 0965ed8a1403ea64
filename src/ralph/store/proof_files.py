"""The proof records in a folder: one for each time that the work was proven. None is overwritten."""

import re
from pathlib import Path

NAME = "proof.intoto.jsonl"
"""The name of the first record; then come `proof.2.intoto.jsonl` and so on."""
_NUMBERED = re.compile(r"proof(?:\.([1-9]\d{0,5}))?\.intoto\.jsonl")


def records_in(folder: Path) -> list[Path]:
    """The records, the oldest first."""
    if not folder.is_dir():
        return []
    found = {int(named[1] or 1): path for path in folder.iterdir() if (named := _NUMBERED.fullmatch(path.name))}
    return [found[number] for number in sorted(found)]


def new_record(folder: Path) -> Path:
    """The path of the next record."""
    there = records_in(folder)
    if not there:
        return folder / NAME
    latest = _NUMBERED.fullmatch(there[-1].name)
    return folder / f"proof.{int((latest and latest[1]) or 1) + 1}.intoto.jsonl"
