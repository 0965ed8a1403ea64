"""The words of an agent's final message: what it says it did, and how a person can see that it works.

The prompt asks for four numbered parts. Agents answer in headings, in bold, in numbers, or in plain prose; all of these
are read. A text that only says that the work is done is not a summary.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_SENTENCES = 3
LONGEST, LONGEST_LINE = 100_000, 2000
"""How many characters of a message, and of a line, are read: the time of patterns grows faster than a line."""
FEWEST_WORDS, FEWEST_SIGNS = 3, 6
"""The least that makes a sentence: words, or characters of a script without spaces."""

KINDS = {
    "summary": r"(?:brief |short )?summary\b|what (?:i|was|you|has been|i have|i've)\b|accomplish|overview",
    "files": r"(?:new |modified |changed |created )*files?\b|changes made",
    "exports": r"(?:new |added |available )*(?:exports?|functions?|api)\b",
    "verify": r"how (?:to|you can|i) (?:verify|test|check)|verif(?:y|ication|ying)\b|to verify|testing\b|test plan",
}
"""The beginnings of the titles of each part."""
BARE = {
    "summary": r"summary(?: of .{1,40})?|what i did|what was done",
    "files": r"files|files? (?:created|modified|changed).{0,20}",
    "exports": r"(?:new )?exports?(?: ?/ ?functions)?(?: available)?",
    "verify": r"how to (?:verify|test|check).{0,20}|verification(?: steps)?",
}
"""The titles without any markup, on a line of their own."""
LONGEST_TITLE = 60
BOLD = re.compile(r"([*_]{2})(.+?)\1\s*(.*)")
NUMBER = re.compile(r"^\d[.)]\s+")
HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
BULLET = re.compile(r"^[-*+•]\s+")
ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
TAG = re.compile(
    r"</?(?:promise|response|reject)\b[^<>\n]{0,200}>(?:[^<\n]{0,500}</(?:promise|response|reject)>)?", re.IGNORECASE
)
EMPHASIS = re.compile(r"(?<!\w)([*_]{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)")
LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{1,400}\)")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[^\sa-z])|(?<=[\u3002\uff01\uff1f])")
ENDED = re.compile("[.!?:;\u3002\uff01\uff1f][\"')\\]]*$")
WORD = re.compile(r"[^\W_]+(?:['.\-/_][^\W_]+)*")
SPACELESS = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
EMPTY = frozenset(
    (
        *("a", "all", "already", "am", "an", "and", "are", "as", "be", "been", "chunk", "complete", "completed"),
        *("correctly", "done", "everything", "finished", "for", "fully", "good", "has", "have", "here", "i", "i'm"),
        *("i've", "implementation", "implemented", "is", "it", "it's", "job", "me", "my", "needed", "nothing", "now"),
        *("ok", "okay", "please", "ready", "request", "requested", "required", "so", "stage", "successful"),
        *("successfully", "sure", "task", "tasks", "that", "that's", "the", "there", "this", "was", "were", "with"),
        *("work", "works", "you", "your"),
    )
)
"""Words that carry no information: a sentence of these alone says only that the work is done."""


class Words(NamedTuple):
    summary: str = ""
    """At most three sentences in one line; empty if the message has none."""
    steps: tuple[str, ...] = ()


def words_of(message: str) -> Words:
    """What a final message says about the work."""
    sections = _sections(TAG.sub("", message[-LONGEST:]))
    told = _sentences(sections.get("summary", [])) or _sentences(sections["prose"])
    return Words(" ".join(map(_ended, told[:MOST_SENTENCES])), tuple(_steps(sections.get("verify", []))))


def _sections(message: str) -> dict[str, list[str]]:
    """The lines of each requested part, and the prose outside of all parts."""
    found: dict[str, list[str]] = {"prose": []}
    now = found["prose"]
    fenced = False
    for whole in message.splitlines():
        line = whole[:LONGEST_LINE]
        fenced ^= bool(FENCE.match(line))
        kind, rest = ("", "") if fenced else _title(line)
        if kind:
            now = found.setdefault(kind, [])
            now.append(rest)
        elif not fenced and HEADING.match(line):
            now = found["prose"]
        else:
            now.append(line)
    return found


def _title(line: str) -> tuple[str, str]:
    """The part that this line begins, and the rest of the line. A sentence that uses the word is not a title."""
    is_heading = HEADING.match(line) is not None
    text = NUMBER.sub("", BULLET.sub("", line.strip().lstrip("#").strip(), count=1), count=1)
    if bold := BOLD.fullmatch(text):
        title, rest = bold[2].rstrip(": "), bold[3].lstrip(":").strip()
        # If text follows a bold word without a colon, it is a sentence that begins with that word.
        marked = bool(":" in text[: bold.start(3)] or bold[3].startswith(":") or not rest)
    elif is_heading:
        title, rest, marked = text.rstrip(": "), "", True
    else:
        title, colon, rest = text.partition(":")
        marked, rest = bool(colon), rest.strip()
    table = KINDS if marked else BARE
    words = title.strip().casefold()
    if len(words) > LONGEST_TITLE:
        return "", ""
    matches = re.match if marked else re.fullmatch
    return next((kind for kind, pattern in table.items() if matches(pattern, words)), ""), rest


def _sentences(lines: list[str]) -> list[str]:
    """The sentences of the prose. Code and tables are not prose; each item of a list is a sentence."""
    return [sentence for block in _blocks(lines) for sentence in _split(block) if _tells_something(sentence)]


def _blocks(lines: list[str]) -> Iterator[str]:
    """Paragraphs and list items, each on one line."""
    block: list[str] = []
    fenced = False
    for line in [*lines, ""]:
        fence = FENCE.match(line)
        item = ITEM.match(line)
        if block and (fence or item or not line.strip()):
            yield " ".join(block)
            block = []
        fenced ^= bool(fence)
        text = line[item.end() :] if item else line
        if text.strip() and not fenced and not fence and not text.lstrip().startswith("|"):
            block.append(_plain(text))


def _plain(text: str) -> str:
    text = LINK.sub(r"\1", text.strip())
    return " ".join(EMPHASIS.sub(r"\2", text).lstrip("#> ").split())


def _split(block: str) -> list[str]:
    return [sentence.strip() for sentence in SENTENCE_END.split(block) if sentence.strip()]


def _ended(sentence: str) -> str:
    """The sentence with a full stop, because list items have none and follow each other in a summary."""
    return sentence if ENDED.search(sentence) else f"{sentence}."


def _tells_something(sentence: str) -> bool:
    if sentence.endswith(":"):
        return False
    if len(SPACELESS.findall(sentence)) >= FEWEST_SIGNS:
        return True
    words = [word.casefold() for word in WORD.findall(sentence.replace("\u2019", "'"))]
    return len(words) >= FEWEST_WORDS and any(word not in EMPTY for word in words)


def _steps(lines: list[str]) -> Iterator[str]:
    """Each item, line of code or sentence that says how to see that it works."""
    fenced = False
    for line in lines:
        if FENCE.match(line):
            fenced = not fenced
        elif fenced and line.strip():
            yield f"`{line.strip()}`"
        elif text := _plain(ITEM.sub("", line, count=1)):
            yield text.rstrip(":")
