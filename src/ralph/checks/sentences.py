"""Whether a sentence only speaks about the tag that ends it: "When they pass I will answer
<response>DONE</response>".
"""

import re

from ralph.checks.message import OTHER, TAG

LOOKED_AT = 2000
"""How many characters before a tag are read. No sentence is longer."""
BESIDE = f" \t{TAG}{OTHER}"
"""Blanks and tags directly before a tag, which belong to it."""
SENTENCE_END = re.compile(r"""[.!?…]["'\u201d\u2019)\]*_`]*(?:\s+|$)""")
LIST_ITEM = re.compile(r"\s*(?:[-*+•>|#]|\d+[.)])\s")
SAYING = (
    r"(?:answer|answering|say|saying|respond|reply|output|print|give|write|writing|claim|emit|end|finish|send|declare"
    r"|confirm|promise|signal|report|provide)"
)
ANNOUNCES = re.compile(
    r"\b(?:will|won't|shall|shan't|would|wouldn't|when|whenever|once|if|until|till|unless)\b|\w'll\b"
    r"|\b(?:i|we|it|that)'d\b",
    re.IGNORECASE,
)
REFUSES = re.compile(
    r"(?:\b(?:cannot|can't|couldn't|unable|not|never|without|nor)|n't)(?:[ \t]+[\w'-]+){0,4}?[ \t]+"
    rf"{SAYING}(?:[ \t]+[\w'-]+){{0,3}}[\s:\"'(*_`-]*$",
    re.IGNORECASE,
)
NEGATED = re.compile(r"\b(?:not|never|nor|no)[\s:\"'(*_`-]*$", re.IGNORECASE)
GOES_ON = re.compile(
    r"[:,\u2013\u2014…]$|\b(?:answer|say|respond|reply|output|emit|end|finish|signal)(?:\s+(?:with|by|my|the|message|it))*$",
    re.IGNORECASE,
)
"""The end of a line after which its sentence continues, although the tag is on a line of its own."""


def is_no_word(before: str) -> bool:
    """Whether the sentence that ends here speaks of another time, refuses the tag, or compares it with another."""
    sentence = _last_sentence(before[-LOOKED_AT:].replace("\u2019", "'"))
    return any(pattern.search(sentence) for pattern in (ANNOUNCES, REFUSES, NEGATED)) or TAG in sentence.rstrip(BESIDE)


def _last_sentence(before: str) -> str:
    *earlier, own = before.split("\n")
    if not _has_words(own):
        while earlier and not _has_words(earlier[-1]):
            earlier.pop()
        if not earlier or not GOES_ON.search(_bare_end(earlier[-1])):
            return ""
        own = earlier.pop()
    while earlier and _flows_into_next(earlier[-1]) and not LIST_ITEM.match(own):
        own = f"{earlier.pop()} {own}"
    return SENTENCE_END.split(own)[-1]


def _flows_into_next(line: str) -> bool:
    return _has_words(line) and not LIST_ITEM.match(line) and not _bare_end(line).endswith((".", "!", "?"))


def _has_words(line: str) -> bool:
    return re.search(r"\w", line) is not None and "```" not in line


def _bare_end(line: str) -> str:
    return line.rstrip(" \t*_`\"'")
