"""What an agent's structured error means to the loop. Never fed with tool output or prose."""

import re

from ralph.model.events import Problem, ProblemKind

# The first that matches decides. Statuses come as a field, or in the words of an error event.
BY_WORDS: tuple[tuple[ProblemKind, str], ...] = (
    ("prompt_too_long", r"prompt is too long|context[ _-]?(length|window)|maximum context|input is too long"),
    ("billing", r"credit balance|billing|insufficient[_ ]quota|payment"),
    ("quota", r"usage limit|hit your .*limit|rate[_ -]?limit|overloaded|too many requests|resource_?exhausted|quota"),
    ("auth", r"invalid (x-)?api[- ]key|unauthorized|authenticat|not logged in|/login|oauth|token (has )?expired"),
    ("model", r"issue with the selected model|unknown model|model.* (not (exist|found|supported|available))"),
)
BY_STATUS: dict[int | None, ProblemKind] = {
    401: "auth",
    403: "auth",
    404: "model",
    413: "prompt_too_long",
    429: "quota",
    529: "quota",
}
BAD_REQUEST = 400
STATUS_WORDS = re.compile(r"\bstatus:? (\d{3})\b", re.IGNORECASE)
RESET = re.compile(r"\|(\d{10})\b")
"""`usage limit reached|1760000000`: the moment at which it may go on."""

NEXT = {
    "auth": "Log in again, or renew the key",
    "billing": "Top up the account, or choose another agent",
    "model": "Choose a model that this account has",
}
"""What a person can do about a problem that no further iteration can mend."""


def classify(message: str, status: int | None = None, until: float | None = None) -> Problem:
    if status is None and (found := STATUS_WORDS.search(message)):
        status = int(found[1])
    if until is None and (found := RESET.search(message)):
        until = float(found[1])
    return Problem(_kind(message, status), message, until)


def _kind(message: str, status: int | None) -> ProblemKind:
    words = _by_words(message)
    # A status says more than words, except that 400 and 429 also stand for "too long" and "not paid".
    if words in ("prompt_too_long", "billing"):
        return words
    if status in BY_STATUS:
        return BY_STATUS[status]
    return words if status in (None, BAD_REQUEST) else "other"


def _by_words(message: str) -> ProblemKind:
    for kind, pattern in BY_WORDS:
        if re.search(pattern, message, re.IGNORECASE):
            return kind
    return "other"
