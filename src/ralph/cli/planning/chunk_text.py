"""A list of proposed chunks as people read it."""

from collections.abc import Sequence
from typing import Any

from ralph.cli.planning.wrapping import wrapped
from ralph.cli.saying import safe_text
from ralph.config.merge import is_object
from ralph.kernel.plan_forms import ChunkDraft

WORDS = {"judge": "judged", "check": "check", "person": "a person approves", "time": "a person approves in time"}


def chunk_lines(chunks: Sequence[ChunkDraft], notes: Sequence[str] = ()) -> list[str]:
    """Each chunk with its steps, files, outcome and criteria."""
    lines: list[str] = []
    for number, each in enumerate(chunks, 1):
        after = f" (after {', '.join(each.depends_on)})" if each.depends_on else ""
        lines += ["", *wrapped(f"{number}. {each.id}  {each.title}{after}", hanging="   ")]
        lines += wrapped(each.description, "   ")
        if each.relevant_files:
            lines += wrapped(f"Files to check: {', '.join(each.relevant_files)}", "   ", hanging="  ")
        lines += wrapped(f"Outcome: {each.outcome}", "   ", hanging="  ")
        for criterion in each.acceptance_criteria:
            lines += wrapped(f"- {criterion_words(criterion)}", "   ", hanging="  ")
        if each.criteria:
            lines += wrapped(f"Roles: {', '.join(_roles(each.criteria))}", "   ")
    for note in notes:
        lines += ["", *wrapped(f"! {note}", hanging="  ")]
    return lines


def criterion_words(criterion: Any) -> str:
    """The criterion with its type: a text is judged, a command is run, a person approves."""
    if isinstance(criterion, str):
        return f"{criterion} ({WORDS['judge']})"
    given: dict[str, Any] = criterion
    kind = next((name for name in WORDS if name in given), "")
    text = given.get("text") or given.get(kind, "")
    how = f"check: {given[kind]}" if kind == "check" else WORDS.get(kind, "?")
    return safe_text(how if text == given.get(kind) and kind == "check" else f"{text} ({how})")


def _roles(criteria: Any) -> list[str]:
    if is_object(criteria):
        return list(criteria)
    return [each.get("role", "?") for each in criteria]
