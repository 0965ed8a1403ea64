"""Feedback for the next iteration's prompt, and its place in that prompt."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from ralph.model.evidence import AgentReport, Evidence

Place = Literal["APPEND", "PREPEND", "REPLACE", "INSIDE"]
"""Where the feedback goes: after the base, before it, instead of it, or inside it if the base has a place for it."""
GAP = "\n\n"
CUT = "... [truncated]"


class Note(Struct, frozen=True):
    place: Place
    text: str


Feedback = tuple[Note, ...]
NONE: Feedback = ()


Base = str | Callable[[str], str]
"""A text, or a function that makes the text around the feedback inside it."""


def compose(base: Base, feedback: Feedback, *, iteration: int, limit: int, count: bool = False) -> str:
    """PREPENDs, then the base or the REPLACEs instead of it, then APPENDs, two newlines apart."""
    if not isinstance(base, str):
        base = base(GAP.join(_texts(feedback, "INSIDE")))
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


def denial_notes(report: AgentReport) -> Feedback:
    """A note about the denied permission, if there was one."""
    if not report.denial:
        return NONE
    advice = "Nobody is there to allow it: do the work in another way, or say what you need it for."
    return (Note("APPEND", f"Of the previous iteration's agent: {report.denial}. {advice}"),)


def names_tag(prompt: str) -> bool:
    """Whether a prompt mentions the response tag. Such a prompt stays as its author wrote it."""
    return "<response" in prompt.lower()


def tag_note(completion: str) -> Note:
    """The note for an agent whose prompt does not say how to report that the work is done."""
    tag = f"<response>{completion}</response>"
    return Note("APPEND", f"When all of the work is done, end your final message with {tag} on a line of its own.")


def guidance_note(text: str) -> Note:
    return Note("APPEND", f"Guidance from the person who runs this loop:\n{text}")


def shortened(feedback: Feedback) -> Feedback:
    """At most half of the feedback: whole notes are dropped, the oldest first, and the last one that remains is cut."""
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
