"""Text for the next iteration's prompt, and its place in it."""

from typing import Literal

from msgspec import Struct

from ralph.model.evidence import AgentReport, Evidence

Place = Literal["APPEND", "PREPEND", "REPLACE"]
GAP = "\n\n"
CUT = "... [truncated]"


class Note(Struct, frozen=True):
    place: Place
    text: str


Feedback = tuple[Note, ...]
NONE: Feedback = ()


def compose(base: str, feedback: Feedback, *, iteration: int, limit: int, count: bool = False) -> str:
    """PREPENDs, then the base (or the REPLACEs in its stead), then APPENDs, two newlines apart."""
    blocks = [f"Iteration {iteration} of {limit}, {limit - iteration} remaining."] if count else []
    blocks += _texts(feedback, "PREPEND")
    blocks += _texts(feedback, "REPLACE") or [base]
    blocks += _texts(feedback, "APPEND")
    return GAP.join(blocks)


def guardrail_note(evidence: Evidence, place: Place, hint: str) -> Note:
    lines = [f'Guardrail "{evidence.check}" failed with exit code {evidence.exit_code}.']
    if evidence.exit_code is None:
        lines = [f'Guardrail "{evidence.check}" failed: {evidence.reason}.']
    if hint:
        lines.append(f"Hint: {hint}")
    lines += [f"Output file: {evidence.log}", "Output (truncated):", evidence.output]
    return Note(place, "\n".join(lines))


def agent_note(report: AgentReport) -> Note:
    text = f"The previous iteration failed: {report.reason}. Its changes to the files were kept."
    if report.tail:
        text += f"\nThe end of its output:\n{report.tail}"
    return Note("APPEND", text)


def shortened(feedback: Feedback) -> Feedback:
    """At most half of it: whole notes go, the oldest first, and what is left of the last one is cut."""
    room = sum(len(note.text) for note in feedback) // 2
    kept: list[Note] = []
    for note in reversed(feedback):
        if room <= 0:
            break
        kept.insert(0, note if len(note.text) <= room else Note(note.place, note.text[:room] + CUT))
        room -= len(note.text)
    return tuple(kept)


def _texts(feedback: Feedback, place: Place) -> list[str]:
    return [note.text for note in feedback if note.place == place]
