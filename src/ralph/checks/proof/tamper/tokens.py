"""The tokens of a piece of code: what remains without formatting and comments."""

import re
from collections.abc import Iterable

STRINGS = rb"""\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
HASH = re.compile(rb"#[^\n]*|" + STRINGS + rb"|\w+|[^\w\s]")
SLASH = re.compile(rb"//[^\n]*|/\*(?s:.*?)\*/|`(?:\\.|[^`\\])*`|" + STRINGS + rb"|\w+|[^\w\s]")
QUOTES = (b"'", b'"', b"`")
STRING_OR_NAME = re.compile(STRINGS + rb"|`[^`]*`|[^\W\d]\w*")
KEYWORDS = frozenset(
    b"and as assert async await break case catch class const continue def del do elif else except false False final"
    b" finally fn for from func function if impl import in instanceof is lambda let loop match new nil None not null of"
    b" or pass raise return self switch this throw true True try typeof undefined unless until var void while with"
    b" yield".split()
)
CHECKING = re.compile(rb"(?:[Aa]ssert|[Ee]xpect|[Ss]hould|[Rr]equire|[Mm]ust|[Rr]aises|[Tt]hrows)\w*|to[A-Z]\w*")
"""The names of checks in test libraries: another one may check less."""
OF_ASSERT = b"assert . "
TRAILING_COMMA = re.compile(rb", (?=[)\]}])")


def hash_tokens(code: bytes) -> bytes:
    """The tokens in a language whose comments begin with `#`."""
    return _joined(token for token in HASH.findall(code) if not token.startswith(b"#"))


def slash_tokens(code: bytes) -> bytes:
    """The tokens in a language whose comments begin with `//`. A semicolon is a matter of style in some of them."""
    return _joined(token for token in SLASH.findall(code) if token != b";" and not token.startswith((b"//", b"/*")))


def shape_of(tokens: bytes) -> bytes:
    """A value that is the same for two pieces of code that differ only in names, one for one, and check in the same
    way.
    """
    names: dict[bytes, bytes] = {}

    def numbered(found: "re.Match[bytes]") -> bytes:
        word = found[0]
        is_check = CHECKING.fullmatch(word) or tokens.endswith(OF_ASSERT, 0, found.start())
        stays = is_check or word in KEYWORDS or word[:1] in QUOTES
        return word if stays else names.setdefault(word, b"$%d" % len(names))

    return STRING_OR_NAME.sub(numbered, tokens)


def _joined(tokens: Iterable[bytes]) -> bytes:
    return TRAILING_COMMA.sub(b"", b" ".join(tokens).replace(b'"', b"'"))
