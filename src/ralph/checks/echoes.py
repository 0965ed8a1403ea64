"""Which lines of an agent's message repeat its prompt, in whatever form: numbered, quoted, boxed, or as a diff.

Lines are compared by their words. Decoration is removed on both sides, so it matters little how much of it is known
here.
"""

import re
from bisect import bisect_left, bisect_right
from itertools import chain

from ralph.checks.message import BEGIN, END, Message, bare
from ralph.checks.tag_shape import Found

CONTEXT = 80
FEWEST_WORDS = 3
"""How many words around a tag distinguish a rewrapped prompt from an answer that shares a word with it."""
TIMES = (
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?",
    r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp][Mm])?",
    r"[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d",
    r"\d+(?:\.\d+)? ?m?s",
)
DRESS = re.compile(
    "|".join(
        (
            r"\s+",
            *(rf"[\[(]\s*{each}[\])]|{each}(?=\s)" for each in TIMES),
            r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR)\]?:?(?=\s)",
            r"[\w./-]{1,200}[:-]\d{1,7}[:-]",
            r"\d{1,7}(?:[:.)|│→-]|(?=\s)|$)",
            r'[{\[,\s]*"[\w-]{1,40}"\s*:\s*(?=")',
            r"[>|│┃║▌▎▏┆┊╎#•‣◦▪●·»\u203a→*+\u2013\u2014-]",
            r"[\"'\u201c\u2018`]+",
            r"[\[{]+(?=\s*[\"'{\[])",
        )
    )
)
"""One piece of decoration that may be before a repeated line."""
BEHIND = " \t*_`|│┃║▌▎▏┆┊╎\"',;:.!\\})]"
SPEAKER = re.compile(r"\s*[A-Za-z][\w ]{0,30}:\s+(?=\S)")
"""The name of a speaker, such as `User:` or `You asked:`."""
JSON_BREAK = re.compile(r"(?:\\r)?\\n")
JSON_ESCAPES = {r"\"": '"', r"\t": " ", r"\/": "/"}
MARKED = re.compile(f"{BEGIN}[^{END}]*{END}")
DECORATION = re.compile(r"[\s*_`\"'\u2018-\u201d]+")


class Echoes:
    """The parts of a message that repeat a prompt."""

    def __init__(self, message: Message, prompt: Message) -> None:
        self._message = message
        self._contexts = [_Around(prompt, tag) for tag in prompt.tags]
        self._said, self._asked = _Rows(message), _Rows(prompt)
        self._places: dict[str, list[int]] = {}
        self._alone: dict[str, list[int]] = {}
        """The rows of the prompt that consist only of tags."""
        for place, form in enumerate(self._asked.forms):
            into = self._places if has_words(form) else self._alone
            into.setdefault(form, []).append(place)

    def hold(self, number: int) -> bool:
        """Whether the tag with this number is in a part that repeats the prompt."""
        row = self._said.row_of_tag[number]
        return self._is_repeated(row) or self._is_wrapped(self._message.tags[number])

    def _is_repeated(self, row: int) -> bool:
        form = self._said.forms[row]
        if has_words(form):
            return bool(self._where(row))
        return self._is_amid_prompt(row, self._alone.get(form, []))

    def _is_amid_prompt(self, row: int, alone: list[int]) -> bool:
        """Whether the nearest row with words, before or after it, has the same position in the prompt."""
        before, after = self._said.with_words_before(row), self._said.with_words_after(row)
        return any(place < tag for place in self._where(before) for tag in alone) or any(
            place > tag for place in self._where(after) for tag in alone
        )

    def _where(self, row: int | None) -> list[int]:
        """The rows of the prompt that this row of the message repeats."""
        if row is None:
            return []
        forms = dict.fromkeys((self._said.forms[row], self._said.without_speaker(row)))
        return list(chain.from_iterable(self._places.get(form, ()) for form in forms))

    def _is_wrapped(self, tag: Found) -> bool:
        """Whether the words around the tag are those of the prompt, although the lines end elsewhere."""
        seen = _Around(self._message, tag)
        return any(seen.is_same_as(each) for each in self._contexts)


class _Around:
    """The text around a tag without blanks and marks, because repeated text may be rewrapped."""

    def __init__(self, message: Message, tag: Found) -> None:
        before = message.text[max(0, tag.start - 4 * CONTEXT) : tag.start]
        after = message.text[tag.end : tag.end + 4 * CONTEXT]
        self.key = tag.key
        self.tells = len(f"{before} {after}".split()) >= FEWEST_WORDS
        self.before, self.after = bare(before), bare(after)

    def is_same_as(self, asked: "_Around") -> bool:
        return (
            asked.tells
            and self.key == asked.key
            and self.before.endswith(asked.before[-CONTEXT:])
            and self.after.startswith(asked.after[:CONTEXT])
        )


class _Rows:
    """The lines of a message, including those in its JSON strings, each as its bare words."""

    def __init__(self, message: Message) -> None:
        self._texts = [piece for line in message.told_lines() for piece in JSON_BREAK.split(line)]
        self.forms = [form_of(text) for text in self._texts]
        self.row_of_tag = [row for row, text in enumerate(self._texts) for _ in range(text.count(BEGIN))]
        self._worded = [row for row, form in enumerate(self.forms) if has_words(form)]

    def with_words_before(self, row: int) -> int | None:
        place = bisect_left(self._worded, row)
        return self._worded[place - 1] if place else None

    def with_words_after(self, row: int) -> int | None:
        place = bisect_right(self._worded, row)
        return self._worded[place] if place < len(self._worded) else None

    def without_speaker(self, row: int) -> str:
        return form_of(SPEAKER.sub("", self._texts[row], count=1))


def form_of(text: str) -> str:
    """The bare words of a line: without decoration, blanks, quotation marks and case."""
    for escape, meaning in JSON_ESCAPES.items():
        text = text.replace(escape, meaning)
    if BEGIN not in text and text.lstrip(" >|│").startswith("```"):
        return ""
    at = 0
    while dress := DRESS.match(text, at):
        at = dress.end()
    return DECORATION.sub("", text[at:].rstrip(BEHIND)).casefold()


def has_words(form: str) -> bool:
    """Whether the row has words besides what its tags say."""
    return re.search(r"\w", MARKED.sub("", form)) is not None
