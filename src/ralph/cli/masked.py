"""What a command prints, without secrets. What people write into tasks, specs and messages is stored as they wrote it,
so that it can be edited, exported and given to agents: it is masked when it is shown.
"""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

from ralph.cli.here import here


def masked(text: str) -> str:
    """The text without the secrets that this process knows, and without tokens of a well-known shape."""
    return _mask()(text)


def masked_data(value: Any) -> Any:
    """Plain data with every text in it masked. The names of fields stay: programs read them."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {key: masked_data(each) for key, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [masked_data(each) for each in cast("list[Any]", value)]
    return value


@cache
def _mask() -> Callable[[str], str]:
    from ralph.config.written_secrets import written_secrets
    from ralph.workbench.redact import mask_text, needles

    return mask_text(needles(written_secrets(os.environ, _project())))


def _project() -> Path:
    try:
        return here()
    except OSError:
        # The current directory is gone, and the command says so.
        return Path()
