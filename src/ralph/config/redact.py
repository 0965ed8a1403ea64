"""Settings that are safe to show: what looks like a secret is masked."""

import re
from collections.abc import Iterator
from typing import Any, cast

from ralph.config.secrets import url_passwords
from ralph.config.token_shapes import mask_tokens

MASK = "***"

_NAME = r"(?:(?:api|access|private)[-_]?key|token(?!s)|secret|passw(?:or)?d|passphrase|credential|authorization)"
# Each pattern begins where a word begins and takes it completely (`++`), so a very long word costs only its length.
_WORD = rf"(?=[\w-]*{_NAME})[\w-]++"
_VALUE = r"(?:(?:Bearer|Basic)\s+)?[^\s\"']+"
_ASSIGNED = (
    re.compile(rf"(?<![\w-])({_WORD}[\"']?\s*[=:]\s*[\"']?){_VALUE}", re.IGNORECASE),  # --api-key=x, "token": "x"
    re.compile(rf"(?<!\S)(?=-)({_WORD}\s+[\"']?)(?!-){_VALUE}", re.IGNORECASE),  # --api-key x
)
_PATTERNS = (
    *_ASSIGNED,
    re.compile(r"(?<!\w)(\w++://)[^/\s@]++(?=@)"),  # https://user:password@host
)
_SECRET_KEY = re.compile(_NAME, re.IGNORECASE)
_BARE_FLAG = re.compile(rf"(?=-){_WORD}", re.IGNORECASE)


def redacted(merged: dict[str, Any]) -> dict[str, Any]:
    return {key: _masked(value, secret=bool(_SECRET_KEY.search(key))) for key, value in merged.items()}


def _masked(value: Any, *, secret: bool) -> Any:
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value)
        return dict.fromkeys(inner, MASK) if secret else redacted(inner)
    if isinstance(value, list):
        return _masked_list(cast("list[Any]", value), secret=secret)
    if not isinstance(value, str) or not value:
        return value
    return MASK if secret else mask_text(value)


def _masked_list(items: list[Any], *, secret: bool) -> list[Any]:
    """The list with masked secrets. An entry such as `--api-key` makes the next one a secret."""
    return [
        _masked(item, secret=secret or (_opens_secret(before) and not str(item).startswith("-")))
        for before, item in zip([None, *items], items, strict=False)
    ]


def _opens_secret(item: Any) -> bool:
    return isinstance(item, str) and bool(_BARE_FLAG.fullmatch(item.strip()))


def mask_text(text: str) -> str:
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\g<1>{MASK}", text)
    return mask_tokens(text.encode(errors="surrogatepass"), MASK.encode()).decode(errors="surrogatepass")


def may_have_secrets(written: str) -> bool:
    """Whether settings in this file can have a secret, or name one: a look that costs less than reading them."""
    return "://" in written or _SECRET_KEY.search(written) is not None


def secrets_in(merged: dict[str, Any]) -> Iterator[str]:
    """The values that would be masked: what settings call a secret by its key, its flag or its place in a URL."""
    for key, value in merged.items():
        yield from _secrets(value, secret=bool(_SECRET_KEY.search(key)))


def _secrets(value: Any, *, secret: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _secrets(inner, secret=secret or bool(_SECRET_KEY.search(key)))
    elif isinstance(value, list):
        items = cast("list[Any]", value)
        for before, item in zip([None, *items], items, strict=False):
            yield from _secrets(item, secret=secret or (_opens_secret(before) and not str(item).startswith("-")))
    elif isinstance(value, str):
        yield from _secrets_in_text(value) if not secret else (value,)


def _secrets_in_text(text: str) -> Iterator[str]:
    """The secrets in a text. A value such as `$TOKEN` is not one: it only names it."""
    for pattern in _ASSIGNED:
        for found in pattern.finditer(text):
            value = found[0].removeprefix(found[1])
            if "$" not in value:
                yield value.removeprefix("Bearer ").removeprefix("Basic ")
    yield from url_passwords(text)
