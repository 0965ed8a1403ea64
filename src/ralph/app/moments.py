"""Points in time as people write them."""

import time
from datetime import datetime, timedelta

from ralph.config.durations import Duration, read_duration
from ralph.model.errors import ConfigError

DAYS = {"today": 0, "yesterday": 1}


def since_moment(text: str) -> float:
    """The time that `--since` means: `yesterday` and `today` begin at midnight; anything else is read as below."""
    if text.lower() in DAYS:
        midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - timedelta(days=DAYS[text.lower()])).timestamp()
    try:
        return read_moment(text)
    except ValueError:
        hint = "Give yesterday, one such as 2026-02-05 or 2026-02-05T10:00, or how long ago: 7d."
        raise ConfigError(f"--since {text!r} is not a time.", hint) from None


def read_moment(text: str) -> float:
    """The time of a date or time in ISO 8601, in local time unless it says otherwise; or of how long ago it was."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return time.time() - read_duration(Duration, text)
