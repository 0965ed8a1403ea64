"""Numbers as people read them."""

import time

MINUTE, HOUR, DAY = 60, 3600, 86400


def duration(seconds: float) -> str:
    if seconds < MINUTE:
        return f"{seconds:.1f}s"
    if seconds < HOUR:
        return f"{int(seconds // MINUTE)}m{int(seconds % MINUTE):02d}s"
    return f"{int(seconds // HOUR)}h{int(seconds % HOUR // MINUTE):02d}m"


def ago(moment: float) -> str:
    seconds = max(0.0, time.time() - moment)
    if seconds < MINUTE:
        return "just now"
    for size, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{name} ago"
    return "just now"


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


def state(status: str, verdict: str | None) -> str:
    """How a run that has ended came to that, and how one stands that has not."""
    return verdict if status == "ended" and verdict else status


def dollars(amount: float) -> str:
    return f"${amount:.2f}" if amount >= 1 else f"${amount:.4f}".rstrip("0").rstrip(".")


def spent(cost_usd: float | None, total_tokens: int) -> list[str]:
    parts = [dollars(cost_usd)] if cost_usd else []
    return [*parts, f"{tokens(total_tokens)} tokens"] if total_tokens else parts
