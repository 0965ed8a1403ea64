"""Numbered forward migrations. One that has been released is never edited: what follows is a new one."""

from sqlalchemy import Connection

from ralph.model.errors import StateError

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE runs (
            id TEXT PRIMARY KEY,
            parent_id TEXT REFERENCES runs (id) ON DELETE CASCADE,
            recipe TEXT NOT NULL,
            recipe_version INTEGER NOT NULL,
            project TEXT NOT NULL,
            status TEXT NOT NULL,
            verdict TEXT,
            reason TEXT NOT NULL,
            exit_code INTEGER,
            iterations INTEGER NOT NULL,
            started_at REAL NOT NULL,
            ended_at REAL,
            cost_usd REAL,
            tokens TEXT NOT NULL,
            pid INTEGER NOT NULL,
            pid_started REAL NOT NULL,
            options BLOB NOT NULL
        )
        """,
        "CREATE INDEX runs_by_start ON runs (started_at)",
        "CREATE INDEX runs_by_project ON runs (project, started_at)",
        "CREATE INDEX runs_by_parent ON runs (parent_id)",
        """
        CREATE TABLE journal (
            run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            iteration INTEGER NOT NULL,
            kind TEXT NOT NULL,
            action BLOB NOT NULL,
            started_at REAL NOT NULL,
            ended_at REAL,
            result BLOB,
            error TEXT,
            PRIMARY KEY (run_id, seq, attempt)
        )
        """,
        # Where in an attempt's stream.ndjson ralph was at what time: the raw bytes themselves stay in the file.
        """
        CREATE TABLE stream_marks (
            run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            at REAL NOT NULL,
            bytes BIGINT NOT NULL,
            events BIGINT NOT NULL,
            PRIMARY KEY (run_id, seq, attempt, bytes)
        )
        """,
        # Large actions and results, once each: a prompt that is read again in every iteration is stored once.
        "CREATE TABLE blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL)",
    ),
    (
        "CREATE INDEX runs_by_status ON runs (status, project)",
        "DROP INDEX runs_by_parent",
        "CREATE INDEX runs_by_parent ON runs (parent_id, started_at)",
        # Who still refers to a blob; the condition is that of store.run_gc, word for word, or it is not used.
        "CREATE INDEX journal_blob_actions ON journal (action) WHERE substr(action, 1, 5) = x'626c6f623a'",
        "CREATE INDEX journal_blob_results ON journal (result) WHERE substr(result, 1, 5) = x'626c6f623a'",
    ),
    (
        # What stands in the files of the message buses. Of a project's bus there is no task directory; `run_id` is
        # what a message says, so it may name a run that this database does not know.
        """
        CREATE TABLE messages (
            bus TEXT NOT NULL,
            id TEXT NOT NULL,
            task_dir TEXT,
            type TEXT NOT NULL,
            ts REAL NOT NULL,
            run_id TEXT,
            body TEXT NOT NULL,
            PRIMARY KEY (bus, id)
        )
        """,
        "CREATE INDEX messages_by_run ON messages (run_id)",
    ),
    (
        """
        CREATE TABLE specs (
            project TEXT NOT NULL,
            id TEXT NOT NULL,
            title TEXT NOT NULL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            PRIMARY KEY (project, id)
        )
        """,
        # What is structured in a task (dependencies, metadata, completion_spec) is JSON, in the shape of task files.
        """
        CREATE TABLE tasks (
            project TEXT NOT NULL,
            id TEXT NOT NULL,
            spec_id TEXT NOT NULL,
            title TEXT NOT NULL,
            description TEXT NOT NULL,
            status TEXT NOT NULL,
            priority INTEGER NOT NULL,
            dependencies TEXT NOT NULL,
            assignee TEXT NOT NULL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            metadata TEXT NOT NULL,
            iteration INTEGER NOT NULL,
            completion_spec TEXT,
            PRIMARY KEY (project, id),
            FOREIGN KEY (project, spec_id) REFERENCES specs (project, id)
        )
        """,
        "CREATE INDEX tasks_by_spec ON tasks (project, spec_id)",
        "ALTER TABLE runs ADD COLUMN task_id TEXT",
        "CREATE INDEX runs_by_task ON runs (project, task_id, started_at) WHERE task_id IS NOT NULL",
    ),
)


def migrate(connection: Connection) -> None:
    """Bring the database up to date, inside the caller's transaction."""
    connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
    version: int = connection.exec_driver_sql("SELECT COALESCE(MAX(version), 0) FROM schema_version").scalar_one()
    if version > len(MIGRATIONS):
        raise StateError(
            f"the database was written by a newer ralph (schema {version}, this one knows {len(MIGRATIONS)}).",
            "Upgrade ralph, or point RALPH_HOME elsewhere.",
        )
    for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("INSERT INTO schema_version (version) VALUES (?)", (number,))


def is_current(connection: Connection) -> bool:
    from sqlalchemy.exc import DatabaseError

    try:
        found = connection.exec_driver_sql("SELECT MAX(version) FROM schema_version").scalar_one()
    except DatabaseError:
        return False
    return found == len(MIGRATIONS)
