"""The time and money that a project's completed tasks took, over all their runs."""

from msgspec import Struct

from ralph.store.sql import Store

# Chunks and stages are the loops that count iterations; the runs above and below them cost time and money, too.
_TAKEN = """SELECT tasks.id, tasks.spec_id,
        sum(CASE WHEN recipe IN ('chunk', 'stage') THEN iterations ELSE 0 END) AS iterations,
        count(DISTINCT CASE WHEN recipe IN ('chunk', 'stage') THEN label END) AS loops,
        max(CASE WHEN recipe = 'stage' THEN 1 ELSE 0 END) AS is_pipeline,
        sum(seconds) AS seconds, sum(usd) AS usd
    FROM tasks JOIN runs ON runs.project_id = tasks.project_id AND runs.task_id = tasks.id
    WHERE tasks.project_id = :project AND tasks.status = 'completed' AND coalesce(verdict, '') <> 'imported'
    GROUP BY tasks.id, tasks.spec_id ORDER BY tasks.id"""


class Taken(Struct, frozen=True):
    """The time and money that one completed task took."""

    task_id: str
    spec_id: str
    iterations: int
    seconds: float
    """The seconds of agents and checks, without the time spent waiting for a quota or a person."""
    usd: float | None
    """The cost; None if nobody reported it."""
    is_pipeline: bool
    loops: int
    """How many loops it passes through: one for a chunk, one for each role of a pipeline."""

    @property
    def shipped_at_first(self) -> bool:
        """Whether each of its loops was done after its first iteration."""
        return self.iterations == self.loops


def taken_by_tasks(store: Store, project: str) -> list[Taken]:
    """One entry for each completed task that ran here, by id."""
    return [
        Taken(
            row["id"],
            row["spec_id"],
            int(row["iterations"] or 0),
            float(row["seconds"] or 0.0),
            row["usd"],
            bool(row["is_pipeline"]),
            int(row["loops"]),
        )
        for row in store.read(_TAKEN, project=project)
    ]
