"""Which tasks of a spec are run: all open ones, or those that a user chose."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from ralph.model.errors import ConfigError
from ralph.model.tasks import DONE, Task


class Choice(Struct, frozen=True):
    start: str | None = None
    """The first task to run: this one and all after it, in the order of `spec show`."""
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    """The tasks to skip from now on: they count as done for those that depend on them."""


EVERYTHING = Choice()


def chosen_tasks(spec: str, tasks: Sequence[Task], everything: Iterable[Task], choice: Choice) -> list[Task]:
    """The open ones of the chosen tasks. A ConfigError names what keeps one of them from running.

    `tasks` are all of the spec, in the order in which they run.
    """
    _require_known(spec, tasks, choice)
    _refuse_completed(tasks, choice)
    ids = [task.id for task in tasks]
    later = set(ids[ids.index(choice.start) :]) if choice.start else set(ids)
    wanted = [task for task in tasks if task.id in later and task.id not in choice.skip]
    if choice.only:
        # A user who names a task that was skipped before wants to run it.
        wanted = [task for task in wanted if task.id in choice.only]
    opened = [task for task in wanted if task.status not in DONE or task.id in choice.only]
    _refuse_open_dependencies(opened, everything, choice)
    return opened


def _require_known(spec: str, tasks: Sequence[Task], choice: Choice) -> None:
    known = {task.id for task in tasks}
    named = [*([choice.start] if choice.start else []), *choice.only, *choice.skip]
    if unknown := [name for name in named if name not in known]:
        raise ConfigError(f"spec {spec} has no task {unknown[0]!r}.", f"See its tasks: ralph spec show {spec}")
    if both := [name for name in choice.only if name in choice.skip]:
        raise ConfigError(f"{both[0]} is named by both --only and --skip.", "Name it once.")


def _refuse_completed(tasks: Sequence[Task], choice: Choice) -> None:
    for task in tasks:
        if task.status == "completed" and task.id in (*choice.only, *choice.skip):
            raise ConfigError(
                f"task {task.id} is completed.", f"Run it once more: ralph task run {task.id} --again; or leave it out."
            )


def _refuse_open_dependencies(tasks: Sequence[Task], everything: Iterable[Task], choice: Choice) -> None:
    by_id = {task.id: task for task in everything}
    own = {task.id for task in tasks} | {*choice.skip}
    for task in tasks:
        for name in task.dependencies:
            needed = by_id[name]
            if name in own or needed.status in DONE:
                continue
            if needed.spec_id != task.spec_id:
                raise ConfigError(
                    f"task {task.id} depends on {name} of another spec, which is {needed.status}.", "Run that first."
                )
            raise ConfigError(
                f"task {task.id} depends on {name}, which is {needed.status} and not among the chosen ones.",
                f"Choose it too, or skip it: --skip {name}",
            )
