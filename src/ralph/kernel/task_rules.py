"""The rules for a task's text: its id, its dependencies, and criteria that can be verified."""

import re
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

from ralph.model.errors import ConfigError
from ralph.model.tasks import Task

LONGEST_ID = 64
LONGEST_SHOWN = 60
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
VAGUE = {
    "as expected": "it does not say what is expected",
    "as needed": "it does not say what is needed",
    "best practices": "it does not name the practices",
    "bug free": "no check can show that there are no bugs",
    "clean code": "it is a matter of taste; name the rule or the linter",
    "etc": "it leaves the rest of the list open",
    "fully functional": "it does not say what it must do",
    "high quality": "it does not say how quality is measured",
    "is good": "it does not say what is good enough",
    "properly implemented": "it does not say what shows it",
    "robust": "it does not say against what",
    "user friendly": "it does not say what a user must be able to do",
    "well tested": "it does not say which tests, or what coverage",
    "works correctly": "it does not say what can be seen when it works",
    "works fine": "it does not say what can be seen when it works",
    "works properly": "it does not say what can be seen when it works",
    "works well": "it does not say what can be seen when it works",
}
"""Phrases that nobody can verify, and why."""
_VAGUE = re.compile(
    r"\b(" + "|".join(phrase.replace(" ", r"[\s-]+") for phrase in VAGUE) + r")\b", re.IGNORECASE | re.ASCII
)


def shown(text: str) -> str:
    """A user's own words on one line."""
    return repr(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "...")


def check_id(what: str, name: str) -> None:
    """Check an id, because it becomes the name of a directory and a branch. `what` is "task" or "spec"."""
    problem = ""
    if len(name) > LONGEST_ID:
        problem = f"has {len(name)} characters; {LONGEST_ID} is the most"
    elif not _ID.fullmatch(name):
        problem = "must be letters, digits, '.', '_' and '-', and begin with a letter or digit"
    elif ".." in name or name.endswith((".", ".lock")):
        problem = "must not contain '..' nor end in '.' or '.lock': it becomes the name of a branch"
    elif what == "spec" and "--" in name:
        problem = "must not contain '--': that separates spec and task in branch names"
    if problem:
        raise ConfigError(f"the {what} id {shown(name)} {problem}.", "For example: TASK-001")


def read_promise(text: str) -> str:
    """The promise as the agent must write it, with single blanks; a ValueError says what is wrong with it."""
    if not text.strip():
        raise ValueError("the promise is empty")
    if len(text.splitlines()) > 1 or text[-1] in "\r\n":
        raise ValueError(f"the promise {shown(text)} must be one line")
    if text != text.strip():
        raise ValueError(f"the promise {shown(text)} has blanks around it")
    if "<" in text or ">" in text:
        raise ValueError(f"the promise {shown(text)} contains markup: leave out < and >, ralph adds the tag")
    promise = " ".join(text.split())
    if not promise.isprintable():
        raise ValueError(f"the promise {shown(text)} has control characters")
    return promise


def vague(criterion: str) -> str | None:
    """Why nobody can verify this; None if it can be verified."""
    found = _VAGUE.search(criterion)
    if not found:
        return None
    phrase = " ".join(re.split(r"[\s-]+", found[1].lower()))
    return f'"{found[1]}" cannot be verified: {VAGUE[phrase]}'


def check_new_ids(tasks: Iterable[Task]) -> None:
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise ConfigError(f"the task id {task.id} occurs twice.", "Give each task an id of its own.")
        seen.add(task.id)


def check_dependencies(tasks: Iterable[Task]) -> None:
    """Check the dependencies of all tasks of a project, because a task may depend on one of another spec."""
    by_id = {task.id: task for task in tasks}
    for task in by_id.values():
        for name in task.dependencies:
            if name == task.id:
                raise ConfigError(f"task {task.id} depends on itself.", "Remove that dependency.")
            if name not in by_id:
                raise ConfigError(
                    f"task {task.id} depends on {shown(name)}, which is not a task of this project.",
                    "Create that one first, or import both together.",
                )
    _refuse_cycle(by_id)


def in_order(tasks: Iterable[Task]) -> list[Task]:
    """The tasks in the order in which they run: dependencies first, then the lowest priority, then the id."""
    by_id = {task.id: task for task in tasks}
    sorter = TopologicalSorter(
        {task.id: [name for name in task.dependencies if name in by_id] for task in by_id.values()}
    )
    sorter.prepare()
    ready: list[tuple[int, str]] = []
    ordered: list[Task] = []
    while sorter.is_active():
        for name in sorter.get_ready():
            heappush(ready, (by_id[name].priority, name))
        task = by_id[heappop(ready)[1]]
        ordered.append(task)
        sorter.done(task.id)
    return ordered


def _refuse_cycle(by_id: dict[str, Task]) -> None:
    sorter = TopologicalSorter({task.id: task.dependencies for task in by_id.values()})
    try:
        sorter.prepare()
    except CycleError as error:
        # The error names each task before the one that depends on it, and the first again at the end.
        around: list[str] = error.args[1][:0:-1]
        first = around.index(min(around))
        named = [*around[first:], *around[: first + 1]]
        raise ConfigError(
            f"these tasks wait for each other: {' -> '.join(named)}.", "Remove one of the dependencies."
        ) from None
