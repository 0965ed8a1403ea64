"""Writing the files of a start."""

from collections.abc import Mapping
from pathlib import Path


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files. One that begins with `#!` becomes executable."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            file.chmod(0o755)
