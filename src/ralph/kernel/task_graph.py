"""The dependency graph of tasks: which can run side by side, and which chain is the longest."""

from collections.abc import Mapping, Sequence

Graph = Mapping[str, Sequence[str]]
"""The dependencies of each node, by its name. There is no cycle, and a name that is not a node counts as done."""


def waves(graph: Graph) -> list[list[str]]:
    """Nodes grouped by the earliest moment at which they can run, each wave in the order of the graph."""
    depth: dict[str, int] = {}
    for name in _sorted(graph):
        depth[name] = 1 + max((depth[need] for need in graph[name] if need in graph), default=0)
    found: list[list[str]] = [[] for _ in range(max(depth.values(), default=0))]
    for name in graph:
        found[depth[name] - 1].append(name)
    return found


def critical_path(graph: Graph, weights: Mapping[str, float]) -> list[str]:
    """The chain of dependencies with the largest total weight, from its first node to its last."""
    total: dict[str, float] = {}
    before: dict[str, str] = {}
    for name in _sorted(graph):
        needs = [need for need in graph[name] if need in graph]
        if needs:
            before[name] = max(needs, key=lambda need: total[need])
        total[name] = weights[name] + (total[before[name]] if needs else 0.0)
    path: list[str] = [max(total, key=lambda name: total[name])] if total else []
    while path and path[0] in before:
        path.insert(0, before[path[0]])
    return path


def time_with_workers(graph: Graph, weights: Mapping[str, float], workers: int) -> float:
    """How long all nodes take if at most `workers` run at once and ready ones start in the order of the graph."""
    waiting, running, done = list(graph), dict[str, float](), set[str]()
    now = 0.0
    while waiting or running:
        ready = [name for name in waiting if all(need in done or need not in graph for need in graph[name])]
        for name in ready[: workers - len(running)]:
            waiting.remove(name)
            running[name] = now + weights[name]
        first = min(running, key=lambda name: running[name])
        now = running.pop(first)
        done.add(first)
    return now


def _sorted(graph: Graph) -> list[str]:
    """The nodes, each after those it depends on."""
    found: dict[str, None] = {}
    stack = [(name, False) for name in reversed(list(graph))]
    while stack:
        name, is_ready = stack.pop()
        if is_ready:
            found[name] = None
        elif name not in found:
            stack.append((name, True))
            stack += [(need, False) for need in graph[name] if need in graph and need not in found]
    return list(found)
