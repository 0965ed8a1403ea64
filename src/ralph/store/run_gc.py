"""What is needed to forget runs: which trees there are, whether they are over, and their removal from the database."""

from msgspec import Struct
from sqlalchemy import Connection, func, select, text

from ralph.model.runs import RunStatus
from ralph.store import schema
from ralph.store.database import transaction
from ralph.store.runs import status_now

_runs = schema.runs
_journal = schema.journal

_REMOVE_BLOBS = text("""
    DELETE FROM blobs
    WHERE NOT EXISTS (
        SELECT 1 FROM journal
        WHERE substr(action, 1, 5) = x'626c6f623a' AND action = CAST('blob:' || blobs.hash AS BLOB)
    ) AND NOT EXISTS (
        SELECT 1 FROM journal
        WHERE substr(result, 1, 5) = x'626c6f623a' AND result = CAST('blob:' || blobs.hash AS BLOB)
    )
""")


class Member(Struct, frozen=True):
    """A run of a tree, as far as its end is concerned: options and results of thousands of runs are not loaded."""

    id: str
    project: str
    status: RunStatus
    last_active: float


class Tree(Struct, frozen=True):
    """A run that no other run started, with all below it; the root comes first."""

    members: list[Member]

    @property
    def root(self) -> Member:
        return self.members[0]


def trees(connection: Connection, project: str | None = None, root: str | None = None) -> list[Tree]:
    """The newest first."""
    roots = select(_runs.c.id.label("root"), _runs.c.id).where(_runs.c.parent_id.is_(None))
    if project is not None:
        roots = roots.where(_runs.c.project == project)
    if root is not None:
        roots = roots.where(_runs.c.id == root)
    tree = roots.cte("tree", recursive=True)
    tree = tree.union_all(select(tree.c.root, _runs.c.id).where(_runs.c.parent_id == tree.c.id))
    latest = select(func.max(_journal.c.started_at)).where(_journal.c.run_id == _runs.c.id).scalar_subquery()
    query = select(
        tree.c.root,
        _runs.c.id,
        _runs.c.project,
        _runs.c.status,
        _runs.c.pid,
        _runs.c.pid_started,
        func.coalesce(_runs.c.ended_at, latest, _runs.c.started_at),
    ).join(tree, tree.c.id == _runs.c.id)
    found: dict[str, list[Member]] = {}
    for top, id_, where, status, pid, since, last in connection.execute(query.order_by(_runs.c.started_at.desc())):
        found.setdefault(top, []).append(Member(id_, where, status_now(status, pid, since), last))
    return [Tree(sorted(members, key=lambda each, top=top: each.id != top)) for top, members in found.items()]


def remove_tree(connection: Connection, tree: Tree) -> None:
    """Inside the caller's transaction. Children, journals and marks go with their run."""
    connection.execute(_runs.delete().where(_runs.c.id == tree.root.id))


def remove_unreferenced_blobs(connection: Connection) -> None:
    with transaction(connection):
        connection.execute(_REMOVE_BLOBS)
