"""The spec recipe: the tasks of a spec one after another; a failed one stops only those that depend on it."""

import msgspec
from msgspec import Struct

from ralph.kernel.actions import ChildEnd, Recipe, RunChild
from ralph.kernel.recipes import task
from ralph.kernel.recipes.task import TaskRun
from ralph.model.verdicts import EndedBy, Failed, Verified, count

NAME = "spec"
VERSION = 1
HOPELESS = ("budget", "agent_error", "sandbox_error")
"""How a task may end that no other task could end better."""


class SpecTask(Struct, frozen=True, omit_defaults=True):
    loop: TaskRun
    dependencies: tuple[str, ...] = ()


class SpecRun(Struct, frozen=True, omit_defaults=True):
    spec: str
    tasks: tuple[SpecTask, ...]
    """In an order in which dependencies come first."""


def spec_loop(run: SpecRun) -> Recipe:
    failed: dict[str, str] = {}
    iterations = 0
    for number, each in enumerate(run.tasks, start=1):
        name = each.loop.task.id
        missing = next((other for other in each.dependencies if other in failed), None)
        if missing:
            failed[name] = f"it depends on {missing}"
            continue
        end: ChildEnd = yield RunChild(number, task.NAME, name, msgspec.to_builtins(each.loop))
        iterations += end.iterations
        if end.verdict in HOPELESS:
            return EndedBy(end.verdict, f"{name}: {end.reason}", end.exit_code)
        if end.verdict != "verified":
            failed[name] = end.reason
    if failed:
        which = "; ".join(f"{name}: {why}" for name, why in failed.items())
        return Failed(f"{len(failed)} of {count(len(run.tasks), 'task')} not done: {which}")
    return Verified(iterations)
