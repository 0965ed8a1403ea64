"""Times on the command line."""

import click


def duration(text: str) -> float:
    """An option's type: `90`, `30s`, `1h30m` or `30d`, in seconds."""
    from ralph.config.durations import Duration, read_duration

    try:
        return float(read_duration(Duration, text))
    except ValueError as error:
        raise click.BadParameter(f"it {error}.") from error
