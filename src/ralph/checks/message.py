"""An agent's message as lines in which each tag is one character, so that the text around a tag is easy to see."""

import re
from collections.abc import Iterable
from functools import cache

from ralph.checks.tag_shape import ATTRIBUTES, Found, Shape

NAMES = ("response", "promise", "reject")
TAG, OTHER, BEGIN, END = "\ue000", "\ue001", "\ue002", "\ue003"
"""The tag that is looked for, a tag of another name, and the marks around a tag's content. Text never uses these
characters: if it has them, they become blanks."""
RESERVED = dict.fromkeys(map(ord, (TAG, OTHER, BEGIN, END)), " ")
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])")
BREAK = re.compile(r"\r\n?")
BLANKS_AND_MARKS = re.compile(r"[\s>|│#*`]+")
DECORATION = " \t\f\v\u00a0*_`"
JOINER = re.compile(rf"(?<=[{TAG}{OTHER}])(?:[ \t,;/]|\b(?:and|or|then)\b)+(?=[{TAG}{OTHER}])", re.IGNORECASE)
"""What may be between two tags that belong together."""
STRAY = re.compile(rf"</?(?:{'|'.join(NAMES)})(?:\s[^<>]{{0,{ATTRIBUTES}}})?>", re.IGNORECASE | re.ASCII)
"""An opening or closing tag without its other half, such as a second `</promise>`."""


class Message:
    """A message. `tags` and `places` belong together: what was found, and where it is in `masked`."""

    def __init__(self, text: str, shape: Shape) -> None:
        self.text = plain(text)
        self.tags = list(shape.all_in(self.text))
        self.masked = JOINER.sub(_blanks, _masked(self.text, self.tags, shape))
        self.places = [found.start() for found in re.finditer(TAG, self.masked)]
        self._end = len(self.masked.rstrip(f"\n.!{DECORATION}{TAG}{OTHER}"))

    def told_lines(self) -> list[str]:
        """The lines in which each tag is replaced with its content, between two marks."""
        keys = iter(tag.key for tag in self.tags)
        return [_told(line, keys) for line in self.masked.split("\n")]

    def standing_out(self) -> list[int]:
        """The numbers of the tags that are alone on their line, or at the end of the message."""
        number, found = 0, list[int]()
        for line in self.masked.split("\n"):
            own = range(number, number := number + line.count(TAG))
            is_alone = bool(own) and _is_only_tags(line)
            found += [each for each in own if is_alone or self.places[each] >= self._end]
        return found

    def before(self, number: int, most: int) -> str:
        """The text before this tag, at most the last `most` characters."""
        place = self.places[number]
        return self.masked[max(0, place - most) : place]


def plain(text: str) -> str:
    """The text without colours, and with a mark instead of half characters; every line ends with a line feed."""
    whole = text.encode(errors="replace").decode()
    return BREAK.sub("\n", ANSI.sub("", whole)).translate(RESERVED)


def bare(text: str) -> str:
    """The text without blanks and the marks that quote or decorate a line."""
    return BLANKS_AND_MARKS.sub("", text)


def _masked(text: str, tags: Iterable[Found], shape: Shape) -> str:
    pieces: list[str] = []
    at = 0
    for tag in tags:
        pieces += [_without_others(text[at : tag.start], shape.tag), TAG]
        at = tag.end
    return "".join((*pieces, _without_others(text[at:], shape.tag)))


def _without_others(text: str, name: str) -> str:
    for other in _others(name):
        pieces: list[str] = []
        at = 0
        for tag in other.all_in(text) if "</" in text else ():
            pieces += [text[at : tag.start], OTHER]
            at = tag.end
        text = "".join((*pieces, text[at:])) if pieces else text
    return text


@cache
def _others(name: str) -> tuple[Shape, ...]:
    plain_shapes = [Shape(each) for each in NAMES if each != name]
    return (*plain_shapes, Shape("reject", "stage")) if name != "reject" else tuple(plain_shapes)


def _blanks(found: "re.Match[str]") -> str:
    return " " * len(found[0])


def _told(line: str, keys: Iterable[str]) -> str:
    """The line with its tags replaced. Each tag takes the next one of `keys`."""
    if TAG not in line:
        return line
    first, *rest = line.split(TAG)
    return first + "".join(f"{BEGIN}{key}{END}{after}" for after, key in zip(rest, keys, strict=False))


def _is_only_tags(line: str) -> bool:
    left = line.translate({ord(TAG): "", ord(OTHER): ""})
    return not STRAY.sub("", left).strip(DECORATION)
