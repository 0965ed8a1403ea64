"""Which values are secret: by the name of their variable, by their place in a URL, or because settings say so."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from urllib.parse import unquote

SHORTEST = 8
"""The length of the shortest secret. To mask a shorter value would hide ordinary text: with `KEY=1`, every 1."""
_SECRET = re.compile("PASS|PWD|SECRET|TOKEN|KEY|AUTH|COOKIE|WEBHOOK|CREDENTIAL")
_ORDINARY = frozenset({"PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY"})
# Ordinary words that contain one of those above.
_HARMLESS = re.compile("ASKPASS|BYPASS|COMPASS|PASSENGER|AUTHOR(?!I[SZ])|KEYBOARD|KEYMAP|KEYRING|MONKEY|TOKENIZER")
_COUNT = re.compile(r"[\d_.,]+")
_URL_PASSWORD = re.compile(r"\w://[^\s/:@]*:([^\s/@]+)@")


def secrets_of(environ: Mapping[str, str], named: Iterable[str] = (), places: Iterable[str] = ()) -> list[str]:
    """The values that must not be written anywhere, the longest first so that none is only partly replaced.

    `named` are patterns of further variables that settings call secret. A value that is part of one of the `places`
    where ralph works is not a secret: without it no file would be found again.
    """
    patterns, where = tuple(named), tuple(places)
    found = {value for name, text in environ.items() for value in _values(name, text, patterns)}
    kept = [value for value in found if len(value) >= SHORTEST and not any(value in place for place in where)]
    return sorted(kept, key=len, reverse=True)


def is_secret_name(name: str) -> bool:
    upper = name.upper()
    return upper not in _ORDINARY and bool(_SECRET.search(_HARMLESS.sub("", upper)))


def url_passwords(text: str) -> Iterator[str]:
    """The passwords in URLs, as written and decoded."""
    for password in _URL_PASSWORD.findall(text):
        yield password
        yield unquote(password)


def _values(name: str, text: str, patterns: tuple[str, ...]) -> Iterator[str]:
    value = text.strip()
    is_named = any(fnmatchcase(name, pattern) for pattern in patterns)
    if is_named or (is_secret_name(name) and not _is_count(name, value)):
        yield value
    yield from url_passwords(text)


def _is_count(name: str, value: str) -> bool:
    """Whether the variable is a number of tokens, such as `MAX_TOKENS=64000000`."""
    return "TOKENS" in name.upper() and bool(_COUNT.fullmatch(value))
