"""Tokens that are recognised by their shape. Each is searched by its fixed beginning first, which is fast."""

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
    holds: bytes
    longest: int
    common: bytes
    """What all beginnings have at the same place, `at` bytes from their start. One search for it finds all of them."""
    at: int = 0


def _token(beginnings: str, rest: bytes, common: bytes = b"", at: int = 0) -> Shape:
    words = tuple(beginnings.encode().split())
    begin = b"|".join(map(re.escape, words))
    pattern = re.compile(_START + b"(?:" + begin + b")" + rest)
    return Shape(words, pattern, _IN_TOKEN, LONGEST_TOKEN, common or words[0], at)


SHAPES = (
    # OpenAI, Anthropic and others with similar keys; `sk-learn-like-names` have no digit.
    _token("sk-", rb"(?:(?:ant|proj|or|svcacct|admin)-[\w-]{6,4000}|(?=[\w-]{0,80}\d)[\w-]{16,4000})"),
    _token("ghp_ gho_ ghu_ ghs_ ghr_", rb"\w{16,1000}", b"gh"),
    _token("github_pat_", rb"\w{16,1000}"),
    _token("glpat-", rb"[\w-]{16,1000}"),
    _token("xox", rb"[abeoprs]-[\w-]{8,1000}"),
    _token("AKIA", rb"[0-9A-Z]{16}(?![0-9A-Za-z])"),
    _token("ASIA", rb"[0-9A-Z]{16}(?![0-9A-Za-z])"),
    _token("AIza", rb"[\w-]{20,100}"),
    _token("eyJ", rb"[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{0,1000}", b"J", 2),
    _token("sk_live_ rk_live_", rb"\w{16,1000}", b"k_live_", 1),
    _token("npm_", rb"\w{16,1000}"),
    _token("hooks.slack.com/services/", rb"[\w/-]{16,200}"),
    Shape(
        (b"-----BEGIN ",),
        re.compile(
            rb"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\{1,4}[nr]){0,16000}"
            rb"(?:-----END (?:[A-Z]+ ){0,3}PRIVATE KEY-----)?"
        ),
        _IN_KEY,
        LONGEST_KEY,
        b"-----BEGIN ",
    ),
)


_ANY = re.compile(b"|".join(re.escape(beginning) for shape in SHAPES for beginning in shape.beginnings))
SHORT = 512
"""Up to this many bytes one search for all beginnings is faster, and above it one for each."""


def tokens_in(data: bytes) -> list[tuple[int, int]]:
    """The positions of the tokens."""
    if len(data) <= SHORT and not _ANY.search(data):
        return []
    return sorted([span for shape in SHAPES for span in _spans(shape, data)])


def _spans(shape: Shape, data: bytes) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    common, before = shape.common, shape.at
    at = data.find(common, before)
    while at >= 0:
        start = at - before
        found = shape.pattern.match(data, start) if data.startswith(shape.beginnings, start) else None
        if found:
            spans.append(found.span())
        at = data.find(common, found.end() if found else at + 1)
    return spans


def first_open(data: bytes) -> int:
    """The position of the first token that may continue, or only become one, with the bytes that follow."""
    return min((_open_of(shape, data) for shape in SHAPES if data[-1:] and data[-1] in shape.holds), default=len(data))


def _open_of(shape: Shape, data: bytes) -> int:
    end = data[-shape.longest :]
    run = end[len(end.rstrip(shape.holds)) :]
    starts = [_open_beginning(run, beginning) for beginning in shape.beginnings]
    return len(data) - len(run) + min(starts)


def _open_beginning(run: bytes, beginning: bytes) -> int:
    if beginning[:1] not in run:
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
            at = end
    return b"".join((*pieces, data[at:])) if pieces else data
