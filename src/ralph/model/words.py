"""Numbers and texts in the form that people read."""

import re

MINUTE, HOUR = 60, 3600
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2061-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that control a terminal, change the direction of a line, are invisible, or are half of a character
(lone surrogates). Line ends, tabs and characters that join emojis or letters are not among them.
"""


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def visible(text: str) -> str:
    """The text with its unsafe characters spelled out, so that its author can neither control the terminal nor hide
    anything with it.
    """
    # This comes first because it costs less than a search: most texts have no unsafe characters.
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return UNSAFE.sub(_spelled, text.replace("\r\n", "\n"))


def prefixed(text: str, prefix: str) -> str:
    """The text with something before each of its lines."""
    return prefix + text.replace("\n", f"\n{prefix}") if prefix else text


def one_line(text: str) -> str:
    return " ".join(text.split())


def first_words(text: str, most: int) -> str:
    """The beginning of a text in one line, cut between two words if possible."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[:most].rpartition(" ")[0] if " " in line[:most] else line[: most - 1]
    return f"{cut}…"


def last_lines(text: str, most: int) -> list[str]:
    """The last lines that are not empty."""
    return [line.rstrip() for line in text.splitlines() if line.strip()][-most:]


def duration(seconds: float) -> str:
    if seconds < MINUTE:
        return f"{seconds:.1f}s"
    if seconds < HOUR:
        return f"{int(seconds // MINUTE)}m{int(seconds % MINUTE)}s"
    return f"{int(seconds // HOUR)}h{int(seconds % HOUR // MINUTE)}m"


def tokens(number: int) -> str:
    for size, suffix in ((1_000_000, "M"), (1_000, "K")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + suffix
    return str(number)


def size(number: int) -> str:
    for unit, suffix in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")):
        if number >= unit:
            return f"{number / unit:.1f} {suffix}"
    return f"{number} bytes"


def dollars(amount: float) -> str:
    return f"${amount:.2f}" if amount >= 1 else f"${amount:.4f}".rstrip("0").rstrip(".")


def spent(cost_usd: float | None, total_tokens: int) -> list[str]:
    parts = [dollars(cost_usd)] if cost_usd else []
    return [*parts, f"{tokens(total_tokens)} tokens"] if total_tokens else parts


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - digits
