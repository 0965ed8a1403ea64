"""Points in time as people write them."""

import time
from datetime import datetime, timedelta

from ralph.config.durations import Duration, read_duration
from ralph.model.errors import ConfigError

DAYS = {"today": 0, "yesterday": 1}


def since_moment(text: str) -> float:
    """The time that `--since` means: `yesterday` and `today` begin at midnight; `read_moment` reads the rest."""
    if text.lower() in DAYS:
        midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - timedelta(days=DAYS[text.lower()])).timestamp()
    try:
        return read_moment(text)
    except ValueError:
        hint = "Give yesterday, a date or time such as 2026-02-05 or 2026-02-05T10:00, or an age such as 7d."
        raise ConfigError(f"--since {text!r} is not a time.", hint) from None


def read_moment(text: str) -> float:
    """The time that a text means: a date or time in ISO 8601, local unless it has a time zone, or an age such as 7d."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return time.time() - read_duration(Duration, text)
