"""Runs as lines: what each is, what it is doing, and who started whom."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click

from ralph.app.inspect import unit
from ralph.app.run_tree import Node, Now, nodes
from ralph.cli import words
from ralph.model.verdicts import count

COLORS = {"running": "green", "verified": "green", "queued": "cyan", "ended": "red"}
OTHER_COLOR = "yellow"
OVER_SHOWN = 10
"""Of the runs that one run started and that are over, so many are drawn: the latest."""
LONGEST = 160
WIDTH = 14
NOTHING = 'Nothing has run here yet. Begin: ralph run -p "..."'
IDLE = "Nothing runs now. The last run:"
BOXES = ("├─ ", "└─ ", "│  ")
PLAIN_BOXES = ("|- ", "`- ", "|  ")


class StatusText:
    """`here` is the directory that need not be named; `tree` draws what runs started below them."""

    def __init__(self, *, here: Path | None, tree: bool) -> None:
        self._here = str(here)
        self._tree = tree
        self._branch, self._last_branch, self._trunk = BOXES if _can_print("".join(BOXES)) else PLAIN_BOXES

    def lines(self, tops: list[Node]) -> list[str]:
        if not tops:
            return [NOTHING]
        if self._tree:
            return [line for top in tops for line in self._drawn(top)]
        flat = [node for node in nodes(tops) if node.is_live or node in tops]
        head = [] if any(node.is_live for node in flat) else [IDLE]
        return [*head, *(line for node in flat for line in self._entry(node, " " * 10))]

    def summary(self, node: Node) -> str:
        """One line that stays the same for as long as nothing happens."""
        doing = [node.now.doing] if node.now else []
        last = [f"last: {node.last_reason}"] if node.is_live and node.last_reason else []
        return f"{_head(node)} {' · '.join(_short(fact) for fact in (*_what(node), *doing, *last, *_end(node)))}"

    def _drawn(self, node: Node, first: str = "", rest: str = "") -> Iterator[str]:
        shown, hidden = _worth_drawing(node.children)
        entry = self._entry(node, self._trunk if shown else "   ")
        yield first + next(entry)
        yield from (rest + line for line in entry)
        if hidden:
            yield f"{rest}{self._branch}{count(hidden, 'run')} before these, all over"
        for child in shown:
            last = child is shown[-1]
            branch, trunk = (self._last_branch, "   ") if last else (self._branch, self._trunk)
            yield from self._drawn(child, rest + branch, rest + trunk)

    def _entry(self, node: Node, indent: str) -> Iterator[str]:
        run = node.run
        moment = f"ended {words.ago(run.ended_at)}" if run.ended_at else f"started {words.ago(run.started_at)}"
        where = [] if run.project == self._here else [run.project]
        spent = words.spent(run.cost_usd, run.tokens.total)
        facts = [*_what(node), *_doing(node.now), *spent, moment, *where, *_end(node)]
        yield f"{_head(node, color=True)} {' · '.join(_short(fact) for fact in facts)}"
        if node.is_live and node.last_reason:
            yield f"{indent}last: {_short(node.last_reason)}"


def _head(node: Node, *, color: bool = False) -> str:
    run = node.run
    word = f"{words.state(run.status, run.verdict):<{WIDTH}}"
    if color and not os.environ.get("NO_COLOR"):
        # click takes the colour out again where standard output is no terminal.
        word = click.style(word, fg=COLORS.get(word.strip(), COLORS.get(run.status, OTHER_COLOR)))
    return f"{run.id}  {word}"


def _what(node: Node) -> list[str]:
    limit = "" if node.limit is None else f"/{node.limit}"
    name = f"{node.run.recipe} {node.label}".rstrip()
    return [name, f"{unit(node.run)} {node.iteration}{limit}" if node.is_live else _count(node)]


def _count(node: Node) -> str:
    of = "" if node.limit is None else f" of {node.limit}"
    return f"{count(node.iteration, unit(node.run))}{of}"


def _doing(now: Now | None) -> list[str]:
    if now is None:
        return []
    if now.until is not None:
        return [f"{now.doing}, until {time.strftime('%H:%M:%S', time.localtime(now.until))}"]
    return [f"{now.doing} for {words.duration(max(0.0, time.time() - now.since))}"]


def _end(node: Node) -> list[str]:
    run = node.run
    if node.is_live:
        return []
    if run.verdict is None:
        return [f"its process died without a word. Continue: ralph resume {run.id}"]
    return [run.reason] if run.reason else []


def _worth_drawing(children: list[Node]) -> tuple[list[Node], int]:
    """What lives, and the latest that are over; and how many are left out."""
    over = [child.run.id for child in children if not child.is_live]
    kept = set(over[-OVER_SHOWN:])
    return [child for child in children if child.is_live or child.run.id in kept], len(over) - len(kept)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True
