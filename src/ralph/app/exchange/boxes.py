"""Tasks that are checkboxes of a Markdown text."""

from collections.abc import Iterable, Sequence

from ralph.app.exchange.formats import Edit
from ralph.app.exchange.markdown import Box
from ralph.app.exchange.plan import DONE_BEFORE


def closed_by(boxes: Iterable[Box]) -> str:
    """Why a task of these boxes is not run: all of them are ticked."""
    return DONE_BEFORE if all(box.is_done for box in boxes) else ""


def tick(boxes: Iterable[Box]) -> tuple[Edit, ...]:
    """The edits that put an x into the boxes that have none; nothing else is touched."""
    return tuple(Edit(box.place, box.place + len(box.mark), "x") for box in boxes if not box.is_done)


def steps(boxes: Sequence[Box]) -> str:
    """The boxes below a task, for its description."""
    if not boxes:
        return ""
    return "Steps:\n" + "\n".join(f"- {box.text}{' (done before)' if box.is_done else ''}" for box in boxes)


def plain(text: str) -> str:
    """The text with the line ends that ralph uses."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
