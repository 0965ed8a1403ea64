"""An agent's text on a terminal: wrapped at words, and with the characters spelled out that control the terminal."""

import shutil
import textwrap

from ralph.cli.saying import safe_text

WIDEST, TAB = 100, 4


def wrapped(text: str, indent: str = "", hanging: str = "") -> list[str]:
    """Each line of the text as lines that fit; `hanging` comes before all but the first of them."""
    width = min(shutil.get_terminal_size().columns, WIDEST) - 1
    lines: list[str] = []
    for line in safe_text(text).expandtabs(TAB).splitlines():
        inside = indent + line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(line, width, initial_indent=indent, subsequent_indent=inside + hanging) or [""]
    return lines
