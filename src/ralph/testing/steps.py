"""Steps by name. They are plain dicts: join them with `|`, as in `edits({"a.txt": "1"}) | done()`."""

from collections.abc import Mapping
from typing import Any, Literal

Step = dict[str, Any]


def edits(files: Mapping[str, str]) -> Step:
    """Write these files."""
    return {"write": dict(files)}


def says(text: str) -> Step:
    return {"say": text}


def done(word: str = "DONE") -> Step:
    """Claim to be done. Without the work in the same or an earlier step this is a lie."""
    return {"final": f"<response>{word}</response>"}


def fails(code: int = 1, stderr: str = "") -> Step:
    """Exit with this code and without a result."""
    return {"exit": code, "no_result": True} | ({"stderr": stderr} if stderr else {})


def crash(by: str = "SIGKILL") -> Step:
    """Die from a signal."""
    return {"kill": by}


def hangs(*, hard: bool = False) -> Step:
    """Do nothing until killed; `hard` ignores every signal that can be ignored."""
    return {"hang": "hard" if hard else True}


def floods(size: int, *, line: int = 1000, kind: Literal["text", "tool", "empty"] = "text") -> Step:
    """Print this many bytes."""
    return {"flood": {"bytes": size, "line": line, "kind": kind}}


def answers(prompt_contains: str, final: str) -> Step:
    """Answer this prompt whenever it comes, without using a turn."""
    return {"when": {"prompt_contains": prompt_contains}, "final": final}
