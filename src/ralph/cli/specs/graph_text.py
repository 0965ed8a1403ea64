"""A dependency graph as text for a terminal, as Mermaid and as DOT."""

from collections.abc import Callable, Iterator

from ralph.app.tasks.graph import GraphTask, SpecGraph
from ralph.cli.saying import safe_text

BRANCH, LAST, TRUNK, GAP = "├─ ", "└─ ", "│  ", "   "


def as_text(graph: SpecGraph) -> Iterator[str]:
    """The graph as a tree: below each task those that depend on it. A task with several dependencies is expanded
    once.
    """
    yield safe_text(f"{graph.id}  {graph.title}")
    shown: set[str] = set()
    dependents = {task.id: [other for other in graph.tasks if task.id in other.dependencies] for task in graph.tasks}

    stack = [(task, "", "", "") for task in reversed(graph.tasks) if not task.dependencies]
    while stack:
        task, above, first, rest = stack.pop()
        again = task.id in shown and bool(dependents[task.id])
        yield f"{first}{_line(task, graph, above)}{' (see above)' if again else ''}"
        if task.id in shown:
            continue
        shown.add(task.id)
        below = dependents[task.id]
        for place in range(len(below) - 1, -1, -1):
            mark, trunk = (LAST, GAP) if place == len(below) - 1 else (BRANCH, TRUNK)
            stack.append((below[place], task.id, rest + mark, rest + trunk))


def as_mermaid(graph: SpecGraph) -> Iterator[str]:
    names = {task.id: f"t{number}" for number, task in enumerate(graph.tasks, 1)}
    yield "graph TD"
    for task in graph.tasks:
        label = f"{task.id}: {task.title}{_elsewhere(task, graph)} ({task.status})"
        yield f'  {names[task.id]}["{_mermaid_text(label)}"]'
    for task in graph.tasks:
        yield from (f"  {names[need]} --> {names[task.id]}" for need in task.dependencies)


def as_dot(graph: SpecGraph) -> Iterator[str]:
    yield f"digraph {_quoted(graph.id)} {{"
    for task in graph.tasks:
        label = f"{task.id}: {task.title}{_elsewhere(task, graph)} ({task.status})"
        yield f"  {_quoted(task.id)} [label={_quoted(label)}];"
    for task in graph.tasks:
        yield from (f"  {_quoted(need)} -> {_quoted(task.id)};" for need in task.dependencies)
    yield "}"


FORMATS: dict[str, Callable[[SpecGraph], Iterator[str]]] = {"text": as_text, "mermaid": as_mermaid, "dot": as_dot}


def _line(task: GraphTask, graph: SpecGraph, above: str) -> str:
    others = [need for need in task.dependencies if need != above]
    also = f" · also after {', '.join(others)}" if others else ""
    return safe_text(f"{task.id}  {task.status}  {task.title}{_elsewhere(task, graph)}{also}")


def _elsewhere(task: GraphTask, graph: SpecGraph) -> str:
    return "" if task.spec_id == graph.id else f" · spec {task.spec_id}"


def _mermaid_text(text: str) -> str:
    """The text within quotes: every other character that Mermaid or a browser interprets is written as its number."""
    safe = " .,:;-_/()·"
    return "".join(each if each.isalnum() or each in safe else f"#{ord(each)};" for each in safe_text(text))


def _quoted(text: str) -> str:
    escaped = safe_text(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
