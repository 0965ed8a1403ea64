"""Reads the user's prompt file, which may change, vanish or be wrong between two iterations."""

from pathlib import Path

from ralph.model.errors import ConfigError


def read_prompt(path: Path, hint: str = "Restore it, then: ralph resume") -> str:
    """The text of the file. `hint` says what to do if it is not there."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - in each iteration
            text = file.readall().decode()
    except OSError as error:
        raise ConfigError(f"cannot read the prompt file {path}: {error.strerror}.", hint) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"the prompt file {path} is not UTF-8 (byte {error.start}).", "Save it as UTF-8.") from error
    if not text.strip():
        raise ConfigError(f"the prompt file {path} is empty.", "Write into it what the agent is to do.")
    return text
