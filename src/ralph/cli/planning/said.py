"""What a user wants to plan: from an argument or standard input, then the answers in a file."""

import sys
from pathlib import Path

from ralph.app.planning.talk import read_answers


def said_with(what: str | None, answers: str | None) -> str:
    """What to build, then the answers that the user has written down."""
    return with_answers(sys.stdin.read() if what == "-" else what or "", answers)


def with_answers(text: str, answers: str | None) -> str:
    given = read_answers(Path(answers)) if answers else ""
    return "\n\n".join(each.strip() for each in (text, given) if each.strip())
