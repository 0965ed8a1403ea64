"""Times in the settings: numbers are seconds, text may say `90`, `30s`, `1h30m` or `1d`."""

import math
import re
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from ralph.config.wording import quoted

UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}
EXAMPLES = 'a duration: a number of seconds, or text such as "30s", "30m", "1h30m"'
_NUMBER = r"\d+(?:\.\d+)?"
_WRITTEN = re.compile(r"\s*".join(rf"(?:({_NUMBER})\s*{unit})?" for unit in UNITS), re.IGNORECASE)


class Duration(float):
    """A time in the schema. Values are read as this type, and kept as a plain float that can be stored anywhere."""

    def kept(self) -> float | None:
        return float(self)


class PositiveDuration(Duration):
    """A time that must not be zero."""


class Timeout(Duration):
    """A limit that zero and `off` switch off."""

    def kept(self) -> float | None:
        return float(self) or None


class Timed(Struct, frozen=True):
    """The base of sections with durations."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, Duration):
                force_setattr(self, name, value.kept())


def read_duration(wanted: type[Any], value: Any) -> Duration:
    """The `dec_hook` of the schema. Its errors are the end of a sentence that begins with the key."""
    if not issubclass(wanted, Duration):
        raise NotImplementedError(wanted)
    if wanted is Timeout and isinstance(value, str) and value.strip().lower() == "off":
        return wanted(0)
    seconds = _seconds(value)
    if seconds < 0:
        raise ValueError(f"must not be negative, got {value}")
    if wanted is PositiveDuration and seconds == 0:
        raise ValueError("must be more than 0")
    return wanted(seconds)


def _seconds(value: Any) -> float:
    if isinstance(value, str):
        return _written(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"must be {EXAMPLES}")
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds):
        raise ValueError("must be a finite number of seconds")
    return seconds


def _written(text: str) -> float:
    if re.fullmatch(rf"[-+]?{_NUMBER}", text):
        return _seconds(float(text))
    found = _WRITTEN.fullmatch(text)
    if not text or found is None:
        raise ValueError(f"must be {EXAMPLES}, got {quoted(text)}")
    parts = zip(found.groups(default="0"), UNITS.values(), strict=True)
    return _seconds(sum(float(number) * unit for number, unit in parts))
