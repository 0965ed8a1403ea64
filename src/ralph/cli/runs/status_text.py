"""Runs as lines: what each is, what it is doing, and who started whom."""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from ralph.app.runs.tree import Node, nodes
from ralph.cli.display import words
from ralph.cli.runs.naming import named, worked
from ralph.cli.saying import safe_text
from ralph.model.runs import Now, Run
from ralph.model.verdicts import outcome
from ralph.model.words import count, duration, spent

COLOURS = {"running": "green", "queued": "cyan"}
"""The colours of a run that has not ended; a verdict has its own."""
OVER_SHOWN = 10
"""How many ended child runs are drawn: the latest."""
LONGEST = 160
WIDTH = 14
NOTHING = 'Nothing has run here yet. Start: ralph run -p "..."'
IDLE = "Nothing runs now. The last run:"
BOXES = ("├─ ", "└─ ", "│  ")
PLAIN_BOXES = ("|- ", "`- ", "|  ")


class StatusText:
    """Status lines. `projects` are names by id, `here` is the one that is not named; `tree` draws the runs below."""

    def __init__(self, projects: Mapping[str, str], *, here: Path | None, tree: bool) -> None:
        self._projects = projects
        self._here = str(here)
        self._tree = tree
        self._branch, self._last_branch, self._trunk = BOXES if _can_print("".join(BOXES)) else PLAIN_BOXES

    def lines(self, tops: list[Node]) -> list[str]:
        if not tops:
            return [NOTHING]
        if self._tree:
            return [line for top in tops for line in self._drawn(top)]
        shown = {top.run.id for top in tops}
        flat = [node for node in nodes(tops) if node.run.is_live or node.run.id in shown]
        head = [] if any(node.run.is_live for node in flat) else [IDLE]
        return [*head, *(line for node in flat for line in self._entry(node, " " * 10))]

    def summary(self, node: Node) -> str:
        """One line that stays the same as long as nothing happens."""
        run = node.run
        doing = [run.now.doing] if run.now else []
        last = [f"last: {run.last_reason}"] if run.is_live and run.last_reason else []
        return f"{_head(node)} {' · '.join(one_line(fact) for fact in (*_what(node), *doing, *last, *end_words(node)))}"

    def _drawn(self, node: Node, first: str = "", rest: str = "") -> Iterator[str]:
        shown, hidden = _worth_drawing(node.children)
        entry = self._entry(node, self._trunk if shown else "   ")
        yield first + next(entry)
        yield from (rest + line for line in entry)
        if hidden:
            yield f"{rest}{self._branch}{count(hidden, 'earlier run')}, all ended"
        for child in shown:
            last = child is shown[-1]
            branch, trunk = (self._last_branch, "   ") if last else (self._branch, self._trunk)
            yield from self._drawn(child, rest + branch, rest + trunk)

    def _entry(self, node: Node, indent: str) -> Iterator[str]:
        run = node.run
        moment = f"ended {words.ago(run.ended_at)}" if run.ended_at else f"started {words.ago(run.started_at)}"
        name = self._projects.get(run.project, run.project)
        where = [] if name == self._here else [name]
        cost = spent(run.cost_usd, run.tokens.total)
        facts = [*_what(node), *doing_words(run.now), *cost, moment, *where, *end_words(node)]
        yield f"{_head(node, color=True)} {' · '.join(one_line(fact) for fact in facts)}"
        if run.is_live and run.last_reason:
            yield f"{indent}last: {one_line(run.last_reason)}"


def _head(node: Node, *, color: bool = False) -> str:
    word = f"{words.state(node.run.status, node.run.verdict):<{WIDTH}}"
    return f"{node.run.id}  {colored(node.run, word) if color else word}"


def colored(run: Run, word: str) -> str:
    """The word in the colour of the run's state. click removes the colour if standard output is not a terminal."""
    if os.environ.get("NO_COLOR"):
        return word
    return click.style(word, fg=COLOURS.get(run.status) or outcome(run.verdict or "").colour)


def _what(node: Node) -> list[str]:
    run = node.run
    limit = "" if run.limit is None else f"/{run.limit}"
    titles = {(run.project, run.task_id or ""): node.title} if node.title else {}
    return [
        named(run, titles),
        *([node.place] if node.place else []),
        *([f"{run.unit} {node.iteration}{limit}"] if run.is_live else _count(node)),
    ]


def _count(node: Node) -> list[str]:
    of = "" if node.run.limit is None else f" of {node.run.limit}"
    return [f"{words}{of}" for words in worked(node.run, node.iteration)]


def doing_words(now: Now | None) -> list[str]:
    if now is None:
        return []
    if now.until is not None:
        return [f"{now.doing}, until {time.strftime('%H:%M:%S', time.localtime(now.until))}"]
    return [f"{now.doing} for {duration(max(0.0, time.time() - now.since))}"]


def end_words(node: Node) -> list[str]:
    run = node.run
    if run.is_live or run.reason:
        return [] if run.is_live else [run.reason]
    return [f"its process died. Continue: ralph resume {run.id}"] if run.verdict is None else []


def _worth_drawing(children: list[Node]) -> tuple[list[Node], int]:
    """The active runs, and the latest ended ones; and how many are left out."""
    over = [child.run.id for child in children if not child.run.is_live]
    kept = set(over[-OVER_SHOWN:])
    return [child for child in children if child.run.is_live or child.run.id in kept], len(over) - len(kept)


def one_line(text: str) -> str:
    text = safe_text(" ".join(text.split()))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True
