"""Runs for a watched terminal: active runs come first, ended ones are counted, and all of it fits."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from ralph.app.runs.tree import Node
from ralph.cli.display import words
from ralph.cli.runs.naming import named
from ralph.cli.runs.status_text import NOTHING, colored, doing_words, end_words, one_line
from ralph.model.words import count, spent

INDENT = "  "


class WatchText:
    """The lines. `projects` are names by id; the one at `here` is not named."""

    def __init__(self, projects: Mapping[str, str], *, here: Path | None) -> None:
        self._projects = projects
        self._here = str(here)

    def lines(self, tops: list[Node], height: int) -> list[str]:
        """At most `height` lines."""
        if not tops:
            return [NOTHING]
        live = [top for top in tops if top.run.is_live]
        over = [top for top in tops if not top.run.is_live]
        head = [] if live else ["Nothing runs now. The last run:"]
        found = [*head, *(line for top in (*live, *over) for line in self._entry(top, 0))]
        return found if len(found) <= height else [*found[: height - 1], f"… {len(found) - height + 1} more lines"]

    def _entry(self, node: Node, depth: int) -> Iterator[str]:
        run, indent = node.run, INDENT * depth
        name = self._projects.get(run.project, run.project)
        titles = {(run.project, run.task_id or ""): node.title} if node.title else {}
        facts = [
            *([] if depth else [run.id]),
            named(run, titles),
            *([node.place] if node.place else []),
            *([] if depth or name == self._here else [name]),
            *end_words(node),
        ]
        yield f"{indent}{colored(run, words.state(run.status, run.verdict))}  {' · '.join(map(one_line, facts))}"
        if progress := [*self._progress(node), *spent(run.cost_usd, run.tokens.total)]:
            yield f"{indent}{INDENT}{' · '.join(map(one_line, progress))}"
        if run.is_live and node.saying:
            yield f"{indent}{INDENT}> {one_line(node.saying)}"
        if run.is_live and run.last_reason and not node.children:
            yield f"{indent}{INDENT}last: {one_line(run.last_reason)}"
        yield from self._below(node, depth + 1)

    def _progress(self, node: Node) -> list[str]:
        run = node.run
        if not run.is_live:
            return [f"ended {words.ago(run.ended_at)}"] if run.ended_at else []
        place = next((child.place for child in reversed(node.children) if child.run.is_live and child.place), "")
        limit = "" if run.limit is None else f"/{run.limit}"
        number = [f"{run.unit} {node.iteration}{limit}"] if node.iteration and not place else []
        return [*([place] if place else number), *([] if node.children else doing_words(run.now))]

    def _below(self, node: Node, depth: int) -> Iterator[str]:
        over = Counter(
            words.state(child.run.status, child.run.verdict) for child in node.children if not child.run.is_live
        )
        for child in node.children:
            if child.run.is_live:
                yield from self._entry(child, depth)
        if over and node.run.is_live:
            ends = ", ".join(f"{number} {state}" for state, number in over.items())
            yield f"{INDENT * depth}{count(over.total(), 'part')} ended: {ends}"
