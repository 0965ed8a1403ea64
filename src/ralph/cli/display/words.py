"""The state of a run, and times, as people read them."""

import time

MINUTE, HOUR, DAY = 60, 3600, 86400


def ago(moment: float) -> str:
    seconds = max(0.0, time.time() - moment)
    for size, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{name} ago"
    return "just now"


def stamp(moment: float) -> str:
    """The time of day before a line."""
    return time.strftime("[%H:%M:%S] ", time.localtime(moment))


def state(status: str, verdict: str | None) -> str:
    """The verdict of a run that has ended, or the status of one that has not."""
    return verdict if status == "ended" and verdict else status
