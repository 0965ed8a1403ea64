"""Which recipe drives a task: a pipeline if it has criteria for roles, and otherwise a chunk."""

from msgspec import Struct

from ralph.app.tasks.chunks import chunk_run
from ralph.app.tasks.pipelines import pipeline_run
from ralph.config.schema import Settings
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.recipes.task import TaskRun
from ralph.model.tasks import RunAs, Task


class How(Struct, frozen=True):
    """What a person says about a run of tasks."""

    run_as: RunAs | None = None
    """The recipe; None means that the task's criteria decide."""
    fresh: bool = False
    """Whether to set aside what an earlier run left in the worktree."""
    agent: str | None = None
    """The agent that works instead of all others."""
    base: str | None = None
    """Where the spec's branch begins; None means the tip of the user's own branch."""
    sandbox: bool | None = None
    """Whether a sandbox is asked for; None means that the settings decide."""


def loop_of(task: Task, settings: Settings, how: How, base: str) -> TaskRun | ChunkRun:
    """The options of the run. `base` is the commit that `how.base` means."""
    run = pipeline_run if is_pipeline(task, how.run_as) else chunk_run
    return run(task, settings, base, fresh=how.fresh)


def is_pipeline(task: Task, run_as: RunAs | None = None) -> bool:
    if run_as:
        return run_as == "pipeline"
    return task.has_roles


def warnings(task: Task, loop: TaskRun | ChunkRun, settings: Settings) -> list[str]:
    """What a person should know before the run begins."""
    if isinstance(loop, ChunkRun):
        judges = (loop.check, loop.judged, loop.quick, loop.deep, loop.people)
        alone = f"task {task.id} has no verification step, reviewer or criterion, so the agent's word will count."
        return [] if any(judges) else [alone]
    if task.completion_spec is None:
        return [f"task {task.id} has no completion criteria: each role's promise alone will count."]
    unused = [name for name in task.completion_spec.roles if name not in settings.pipeline]
    return [f"task {task.id} has criteria for {name}, a role that is not in pipeline." for name in unused]
