"""File functions without pathlib, whose import would make every start of the scripted agent a third slower."""
# ruff: noqa: PTH103, PTH107, PTH109, PTH110, PTH120, PTH123

import os


def read_text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def write_text(path: str, text: str, mode: str = "w") -> str:
    """Write or append, creating folders as needed; returns whether this was an `add` or an `update`."""
    kind = "update" if os.path.exists(path) else "add"
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, mode, encoding="utf-8", newline="") as file:
        file.write(text)
    return kind


def append_line(path: str, line: bytes) -> None:
    with open(path, "a+b", buffering=0) as file:
        # A process that was killed in the middle of a long line left the first part of it.
        torn = file.tell() > 0 and os.pread(file.fileno(), 1, file.tell() - 1) != b"\n"
        file.write(b"\n" * torn + line + b"\n")


def remove(path: str) -> None:
    os.remove(path)


def working_directory() -> str:
    return os.getcwd()
