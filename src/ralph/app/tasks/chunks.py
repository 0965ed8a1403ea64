"""From a task to the run of a chunk: its limit, its commands, its reviewers, and what its agent is told."""

from ralph.app.reviews.reviewers import reviewers
from ralph.app.tasks.judges import require_judges
from ralph.app.tasks.steps import shared_parts
from ralph.app.tasks.told import told_of
from ralph.config.schema import Settings
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.shared_checks import only_shared
from ralph.loop.kinds.chunk import worker
from ralph.model.tasks import Task
from ralph.model.verification import Semantic


def chunk_run(task: Task, settings: Settings, base: str, *, fresh: bool) -> ChunkRun:
    agent = worker(settings)  # A missing agent is reported now, not in an hour.
    done = task.completion_spec
    judged = Semantic(done.judged) if done and done.judged else None
    if judged:
        require_judges(settings, "chunk", agent, judged)
    by = reviewers(settings, agent, ("quick", "deep"))
    return ChunkRun(
        limit=task.max_iterations or settings.defaults.max_iterations,
        check=only_shared(shared_parts(settings, done)),
        judged=judged,
        quick=by.get("quick"),
        deep=by.get("deep"),
        relevant_files=task.relevant_files,
        dependencies=task.dependencies,
        project_rules=tuple(settings.rules),
        on_revise=settings.review.on_revise,
        base=base,
        fresh=fresh,
        **told_of(task, settings),
    )
