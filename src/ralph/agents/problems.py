"""What an agent's structured error means to the loop. It never gets tool output or prose."""

import re
import time

from msgspec import DecodeError, Struct, json

from ralph.model.events import Problem, ProblemKind

# The first match decides. A status is a field, or in the words of an error event.
BY_WORDS: dict[ProblemKind, tuple[str, ...]] = {
    "prompt_too_long": (
        r"(prompt|input) is too long",
        r"context[ _-]?(length|window|overflow)",
        r"maximum (context|number of tokens)",
    ),
    "billing": (r"credit balance", r"credits? exhausted", r"billing", r"insufficient[_ ](quota|credit)", r"payment"),
    "quota": (
        r"usage limit",
        r"hit your .*limit",
        r"rate[_ -]?limit",
        r"too many requests",
        r"quota",
        r"resource_?exhausted",
        r"exhausted your",
        r"overloaded",
        r"high demand",
    ),
    "auth": (
        r"(invalid|incorrect|no) (x-)?api[- _]key",
        r"api[- _]key (is )?(not valid|invalid|missing)",
        r"unauthorized",
        r"authenticat",
        r"not logged in",
        r"/login",
        r"oauth",
        r"token (has )?expired",
    ),
    "model": (
        r"issue with the selected model",
        r"(unknown|no such) model",
        r"model_?not_?found",
        r"model.* not (exist|found|supported|available)",
    ),
}
BY_STATUS: dict[int | None, ProblemKind] = {
    401: "auth",
    402: "billing",
    403: "auth",
    404: "model",
    413: "prompt_too_long",
    429: "quota",
    529: "quota",
}
SAYS_LITTLE = (None, 400, 503)
"""Statuses that need the words: a bad request may be anything, and some overloaded providers send 503."""
STATUS_WORDS = re.compile(r'(?:\bstatus:?|"code":|\berror:|\bHTTP) ?(\d{3})\b', re.IGNORECASE)

RESET = re.compile(r"\|(\d{10})\b")
"""The time in `usage limit reached|1760000000` at which work may continue."""
WAIT = re.compile(
    r"\b(?:retry|try again|resets?) (?:in|after) ((?:\d+(?:\.\d+)? ?(?:ms|mil|d|h|m|s)[a-z]*,? ?)+)", re.IGNORECASE
)
"""The wait in `try again in 3 hours 42 minutes` or `will reset after 3h25m10s`."""
SPAN = re.compile(r"(\d+(?:\.\d+)?) ?(ms|mil|d|h|m|s)", re.IGNORECASE)
SECONDS = {"ms": 0.001, "mil": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
WRAPPED = re.compile(r"\[API Error: (.*?)\](?:\n.*)?$", re.DOTALL)
SHORT_WAIT = 60.0
"""The agent has often already waited this long on its own: a shorter time says nothing new."""


class Fault(Struct, gc=False):
    message: str = ""


class Envelope(Struct, gc=False):
    error: Fault | None = None


_envelope = json.Decoder(Envelope)


def classify(message: str, status: int | None = None, until: float | None = None) -> Problem:
    if status is None and (found := STATUS_WORDS.search(message)):
        status = int(found[1])
    wait = _wait(message)
    kind = _kind(message, status)
    if kind == "billing" and wait:
        # A free tier that is used up for the moment also mentions billing.
        kind = "quota"
    return Problem(kind, plain_words(message), until or _reset(message, wait))


def plain_words(message: str) -> str:
    """The provider's message without its wrapping: `[API Error: ...]`, and JSON."""
    wrapped = WRAPPED.match(message)
    inner = wrapped[1] if wrapped else message
    try:
        envelope = _envelope.decode(inner) if inner.startswith("{") else Envelope()
    except DecodeError:
        return inner
    return envelope.error.message if envelope.error else inner


def _kind(message: str, status: int | None) -> ProblemKind:
    words = _by_words(message)
    # A status says more than words, except that 400 and 429 also mean "too long" and "not paid".
    if words in ("prompt_too_long", "billing"):
        return words
    if status in BY_STATUS:
        return BY_STATUS[status]
    return words if status in SAYS_LITTLE else "other"


def _by_words(message: str) -> ProblemKind:
    for kind, patterns in BY_WORDS.items():
        if any(re.search(pattern, message, re.IGNORECASE) for pattern in patterns):
            return kind
    return "other"


def _reset(message: str, wait: float) -> float | None:
    if found := RESET.search(message):
        return float(found[1])
    return time.time() + wait if wait >= SHORT_WAIT else None


def _wait(message: str) -> float:
    found = WAIT.search(message)
    spans = SPAN.findall(found[1]) if found else []
    return sum(float(number) * SECONDS[unit.lower()] for number, unit in spans)
