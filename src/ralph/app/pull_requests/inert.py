"""Text that others wrote, made inert for a page that renders Markdown.

Agents, planners and reviewers write titles, summaries and reasons. On a code host such a text could notify people
(`@name`), link or close issues (`fixes #1`), load pictures, or run a quick action (`/merge`). Inside code none of that
happens, so all of it is in code spans and code blocks, and characters that hide from a reader or control a
terminal are spelled out.
"""

import re

from ralph.model.words import visible

LONGEST = 300
INVISIBLE = "\u2060"
"""A word joiner: it has no width, and ends a name or a number for a parser that looks for one."""
_ACTIVE = re.compile(r"[@#!&$%~](?=\w)|(?<=\w)://|(?<=\bGH)-(?=\d)", re.IGNORECASE)


def span(text: str, most: int = LONGEST) -> str:
    """The text as one line of code, also suitable for a cell of a table."""
    line = " ".join(_plain(text).split())
    if not line:
        return ""
    line = line if len(line) <= most else f"{line[:most]}..."
    fence = "`" * (_longest_run(line) + 1)
    # A cell ends at a bar, also within code.
    inner = line.replace("|", "\\|")
    pad = " " if inner.startswith("`") or inner.endswith("`") else ""
    return f"{fence}{pad}{inner}{pad}{fence}"


def block(text: str, most: int) -> str:
    """The text as lines of code."""
    shown = _plain(text).strip()
    shown = shown if len(shown) <= most else f"{shown[:most]}\n[...]"
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}text\n{shown}\n{fence}"


def title(text: str, most: int) -> str:
    """One line in which no host recognises a name, a number or a URL. Titles are shown as they are, without code."""
    line = " ".join(visible(text).split())
    line = line if len(line) <= most else f"{line[:most]}..."
    return _ACTIVE.sub(lambda found: f"{found[0]}{INVISIBLE}", line)


def _plain(text: str) -> str:
    """The text without comments, and with nothing hidden: ralph finds its own part of a page by two comments."""
    return visible(text).replace("<!--", f"<!{INVISIBLE}--")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
