"""Settings fit to be shown: what looks like a secret is masked."""

import re
from typing import Any, cast

MASK = "***"

_NAME = r"(?:(?:api|access|private)[-_]?key|token(?!s)|secret|passw(?:or)?d|passphrase|credential|authorization)"
# Each pattern begins where a word begins and takes it whole (`++`): the cost of a very long word is its length.
_WORD = rf"(?=[\w-]*{_NAME})[\w-]++"
_VALUE = r"(?:(?:Bearer|Basic)\s+)?[^\s\"']+"
_PATTERNS = (
    re.compile(rf"(?<![\w-])({_WORD}[\"']?\s*[=:]\s*[\"']?){_VALUE}", re.IGNORECASE),  # --api-key=x, "token": "x"
    re.compile(rf"(?<!\S)(?=-)({_WORD}\s+[\"']?)(?!-){_VALUE}", re.IGNORECASE),  # --api-key x
    re.compile(r"(?<!\w)(\w++://)[^/\s@]++(?=@)"),  # https://user:password@host
    re.compile(
        r"(?<![\w-])()(?:sk-[\w-]{8,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{8,}"
        r"|AKIA[0-9A-Z]{16}|AIza[\w-]{20,})"
    ),
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
    """An entry such as `--api-key` makes a secret of the next one."""
    return [
        _masked(item, secret=secret or (_opens_secret(before) and not str(item).startswith("-")))
        for before, item in zip([None, *items], items, strict=False)
    ]


def _opens_secret(item: Any) -> bool:
    return isinstance(item, str) and bool(_BARE_FLAG.fullmatch(item.strip()))


def mask_text(text: str) -> str:
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\g<1>{MASK}", text)
    return text
