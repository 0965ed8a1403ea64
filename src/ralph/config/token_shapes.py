"""Tokens that are recognised by their shape. A search looks for a part of their fixed beginning first: that is fast."""

import re

from msgspec import Struct

# A token may follow a letter that is the end of an escape: `\n` in JSON, `%3D` in a URL, a colour of a terminal.
_START = rb"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=[0-9]m))"
CONTEXT = 3
"""How many bytes before a token decide whether it begins there."""
LONGEST_TOKEN = 8192
LONGEST_KEY = 16384
_WORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_IN_TOKEN = _WORD + b"./"
_IN_KEY = _WORD + b"+/= \r\n\\"


class Shape(Struct, frozen=True):
    """The shape of a token: it begins with one of the `beginnings` and has only bytes of `holds`."""

    beginnings: tuple[bytes, ...]
    pattern: "re.Pattern[bytes]"
    at: int = 0
    """How far from its start the landmark is by which it is found."""
    holds: bytes = _IN_TOKEN
    longest: int = LONGEST_TOKEN


class Landmark(Struct, frozen=True):
    """A part of several tokens that one search finds. The search looks for one byte and what must follow or precede it,
    because Python looks for a single byte many times faster than for a choice of texts.
    """

    search: "re.Pattern[bytes]"
    shapes: tuple[Shape, ...]


def _token(beginnings: str, rest: bytes, at: int = 0) -> Shape:
    words = tuple(beginnings.encode().split())
    begin = b"|".join(map(re.escape, words))
    return Shape(words, re.compile(_START + b"(?:" + begin + b")" + rest), at)


_KEY = Shape(
    (b"-----BEGIN ",),
    re.compile(
        rb"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\{1,4}[nr]){0,16000}"
        rb"(?:-----END (?:[A-Z]+ ){0,3}PRIVATE KEY-----)?"
    ),
    at=5,
    holds=_IN_KEY,
    longest=LONGEST_KEY,
)
LANDMARKS = (
    Landmark(
        re.compile(rb"k(?:-|_live_|\.com/services/)"),
        (
            # OpenAI, Anthropic and others with similar keys; `sk-learn-like-names` have no digit.
            _token("sk-", rb"(?:(?:ant|proj|or|svcacct|admin)-[\w-]{6,4000}|(?=[\w-]{0,80}\d)[\w-]{16,4000})", at=1),
            _token("sk_live_ rk_live_", rb"\w{16,1000}", at=1),
            _token("hooks.slack.com/services/", rb"[\w/-]{16,200}", at=10),
        ),
    ),
    Landmark(
        re.compile(rb"g(?:h[pousr]_|ithub_pat_|lpat-)"),
        (
            _token("ghp_ gho_ ghu_ ghs_ ghr_", rb"\w{16,1000}"),
            _token("github_pat_", rb"\w{16,1000}"),
            _token("glpat-", rb"[\w-]{16,1000}"),
        ),
    ),
    Landmark(
        re.compile(rb"A(?:[KS]IA|Iza)"),
        (
            _token("AKIA ASIA", rb"[0-9A-Z]{16}(?![0-9A-Za-z])"),
            _token("AIza", rb"[\w-]{20,100}"),
        ),
    ),
    Landmark(re.compile(rb"x(?=ox)"), (_token("xox", rb"[abeoprs]-[\w-]{8,1000}"),)),
    Landmark(re.compile(rb"J(?<=eyJ)"), (_token("eyJ", rb"[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{0,1000}", at=2),)),
    Landmark(re.compile(rb"p(?=m_)"), (_token("npm_", rb"\w{16,1000}", at=1),)),
    Landmark(re.compile(rb"B(?=EGIN )"), (_KEY,)),
)
# The byte as a number: to look for `b"k"` in bytes, Python first tries to read it as a number, and fails.
_BY_BYTE = tuple((landmark.search.pattern[0], landmark) for landmark in LANDMARKS)
SHAPES = tuple(shape for landmark in LANDMARKS for shape in landmark.shapes)
_OPEN_AFTER = tuple(tuple(shape for shape in SHAPES if last in shape.holds) for last in range(256))
"""The shapes of tokens that may continue after this byte."""


def tokens_in(data: bytes) -> list[tuple[int, int]]:
    """The positions of the tokens, in order. One may be inside another, or overlap it."""
    spans: list[tuple[int, int]] = []
    for byte, landmark in _BY_BYTE:
        if byte not in data:
            continue
        search = landmark.search.search
        found = search(data)
        while found:
            if span := _span_at(landmark, data, found.start()):
                spans.append(span)
            found = search(data, found.end())
    return sorted(spans)


def _span_at(landmark: Landmark, data: bytes, at: int) -> tuple[int, int] | None:
    for shape in landmark.shapes:
        start = at - shape.at
        if start >= 0 and data.startswith(shape.beginnings, start) and (found := shape.pattern.match(data, start)):
            return found.span()
    return None


def first_open(data: bytes) -> int:
    """The position of the first token that may continue, or only become one, with the bytes that follow."""
    size = len(data)
    return min([_open_of(shape, data) for shape in _OPEN_AFTER[data[-1]]], default=size) if size else 0


def _open_of(shape: Shape, data: bytes) -> int:
    end = data[-shape.longest :]
    run = end[len(end.rstrip(shape.holds)) :]
    starts = [_open_beginning(run, beginning) for beginning in shape.beginnings]
    return len(data) - len(run) + min(starts)


def _open_beginning(run: bytes, beginning: bytes) -> int:
    if beginning[0] not in run:
        return len(run)
    if (at := run.find(beginning)) >= 0:
        return at
    partial = (size for size in range(len(beginning) - 1, 0, -1) if run.endswith(beginning[:size]))
    return len(run) - next(partial, 0)


def mask_tokens(data: bytes, mask: bytes) -> bytes:
    """The bytes with masked tokens. Most texts have none, and are returned unchanged."""
    at, pieces = 0, list[bytes]()
    for start, end in tokens_in(data):
        if start >= at:
            pieces += (data[at:start], mask)
        at = max(at, end)
    return b"".join((*pieces, data[at:])) if pieces else data
