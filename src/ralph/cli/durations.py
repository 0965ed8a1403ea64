"""Times on the command line."""

from typing import Any

import click


class DurationType(click.ParamType[float]):
    """The type of every option that takes a time: `90`, `30s`, `1h30m` or `30d`, in seconds."""

    name = "duration"

    def __init__(self, *, least: float = 0.0, above: float | None = None) -> None:
        self._least = least
        self._above = above

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from ralph.config.durations import Duration, read_duration

        try:
            seconds = float(read_duration(Duration, value))
        except (TypeError, ValueError) as error:
            self.fail(f"it {error}.", param, ctx)
        if seconds < self._least:
            self.fail(f"it must be at least {self._least:g}s, got {value}.", param, ctx)
        if self._above is not None and seconds <= self._above:
            self.fail(f"it must be more than {self._above:g}s, got {value}.", param, ctx)
        return seconds


duration = DurationType()
