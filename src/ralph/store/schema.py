"""The tables, as numbered forward migrations, and the handling of a database of another version.

The texts are SQLite's; `postgres.py` translates the few words that differ. A released migration is never edited: a
change is a new one.
"""

from ralph.model.errors import StateError

FIRST = (
    "CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT",
    # `revision` counts the changes of specs and tasks: a write names the revision that its checks have seen.
    """
    CREATE TABLE projects (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        remote TEXT NOT NULL,
        created_at REAL NOT NULL,
        revision INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """,
    "CREATE INDEX projects_by_remote ON projects (remote)",
    """
    CREATE TABLE project_places (
        host TEXT NOT NULL,
        path TEXT NOT NULL,
        project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        PRIMARY KEY (host, path)
    ) STRICT
    """,
    "CREATE INDEX project_places_by_project ON project_places (project_id)",
    # The journal's first row seals `options`. Everything from `status` on is a summary of the journal, for lists.
    """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        recipe TEXT NOT NULL,
        project_id TEXT NOT NULL,
        is_part INTEGER NOT NULL,
        task_id TEXT,
        options BLOB NOT NULL,
        label TEXT NOT NULL,
        unit TEXT NOT NULL,
        iteration_limit INTEGER,
        agent TEXT NOT NULL,
        started_at REAL NOT NULL,
        status TEXT NOT NULL,
        verdict TEXT,
        reason TEXT NOT NULL,
        proof TEXT NOT NULL,
        exit_code INTEGER,
        iterations INTEGER NOT NULL,
        ended_at REAL,
        active_at REAL NOT NULL,
        usd REAL,
        seconds REAL NOT NULL,
        tokens_input INTEGER NOT NULL,
        tokens_output INTEGER NOT NULL,
        tokens_cache_read INTEGER NOT NULL,
        tokens_cache_write INTEGER NOT NULL,
        last_reason TEXT NOT NULL,
        doing TEXT NOT NULL,
        doing_iteration INTEGER NOT NULL,
        doing_since REAL NOT NULL,
        doing_until REAL,
        owner TEXT,
        until REAL NOT NULL
    ) STRICT
    """,
    "CREATE INDEX runs_by_start ON runs (started_at)",
    "CREATE INDEX runs_by_project ON runs (project_id, started_at)",
    "CREATE INDEX runs_by_status ON runs (status, project_id)",
    "CREATE INDEX runs_by_task ON runs (project_id, task_id, started_at) WHERE task_id IS NOT NULL",
    # AUTOINCREMENT: an id that is reused after a removal would hide the row from a follower that is past it.
    """
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        n INTEGER NOT NULL,
        what TEXT NOT NULL,
        key TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        at REAL NOT NULL,
        line TEXT NOT NULL,
        mark TEXT NOT NULL,
        spent TEXT NOT NULL,
        body BLOB,
        digest BLOB NOT NULL,
        hash BLOB NOT NULL
    ) STRICT
    """,
    # This is also the fence: of two processes that think they have the run, the second to append gets a conflict.
    "CREATE UNIQUE INDEX journal_by_run ON journal (run_id, n)",
    "CREATE INDEX journal_by_blob ON journal (digest) WHERE body IS NULL",
    # Large bodies are stored once each: so is a prompt that is read again in every iteration.
    "CREATE TABLE blobs (digest BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT",
    """
    CREATE TABLE control (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        at REAL NOT NULL,
        said TEXT NOT NULL,
        text TEXT NOT NULL,
        said_by TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX control_by_run ON control (run_id, id)",
    """
    CREATE TABLE specs (
        project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        id TEXT NOT NULL,
        title TEXT NOT NULL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        PRIMARY KEY (project_id, id)
    ) STRICT
    """,
    # The structured parts of a task (dependencies, metadata, completion_spec) are JSON, in the form of task files.
    """
    CREATE TABLE tasks (
        project_id TEXT NOT NULL,
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
        PRIMARY KEY (project_id, id),
        FOREIGN KEY (project_id, spec_id) REFERENCES specs (project_id, id)
    ) STRICT
    """,
    "CREATE INDEX tasks_by_spec ON tasks (project_id, spec_id)",
)
# Evidence for a check on a tree, so that the same evidence is not collected twice.
EVIDENCE = (
    """
    CREATE TABLE evidence (
        project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        tree TEXT NOT NULL,
        check_digest TEXT NOT NULL,
        at REAL NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (project_id, tree, check_digest)
    ) STRICT
    """,
)
# What a task allows its agents to change, and the changes that were found in what a run trusted when it began.
TRUST = (
    "ALTER TABLE tasks ADD COLUMN may_change TEXT NOT NULL DEFAULT '[]'",
    """
    CREATE TABLE trusted_changes (
        project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        run_id TEXT NOT NULL,
        at REAL NOT NULL,
        before BLOB,
        after BLOB,
        settled TEXT NOT NULL,
        PRIMARY KEY (project_id, name, run_id)
    ) STRICT
    """,
)
# What a chunk is told and leaves behind, and what a spec sets for its own runs. Structured values are JSON.
CHUNKS = (
    "ALTER TABLE tasks ADD COLUMN relevant_files TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE tasks ADD COLUMN max_iterations INTEGER",
    "ALTER TABLE tasks ADD COLUMN summary TEXT",
    "ALTER TABLE tasks ADD COLUMN error TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE specs ADD COLUMN config TEXT NOT NULL DEFAULT '{}'",
)
# Sessions of agents that other programs run, as the stop guard knows them.
SESSIONS = (
    """
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
        at REAL NOT NULL,
        head TEXT NOT NULL,
        start BLOB NOT NULL,
        settings BLOB NOT NULL,
        blocks INTEGER NOT NULL
    ) STRICT
    """,
)
# What ralph last wrote into a spec's chunks.json, so that an edit by hand is noticed.
DEFINITIONS = ("ALTER TABLE specs ADD COLUMN definitions_digest TEXT NOT NULL DEFAULT ''",)
# The runs of a project are counted without reading them: each has its options, which are kilobytes.
COUNTING = ("CREATE INDEX runs_of_project ON runs (project_id) WHERE is_part = 0",)
MIGRATIONS: tuple[tuple[str, ...], ...] = (FIRST, EVIDENCE, TRUST, CHUNKS, SESSIONS, DEFINITIONS, COUNTING)
OLD_LAYOUT = "stream_marks"
"""A table that exists only in databases from before the first layout here."""


def newer(version: int, variable: str = "RALPH_HOME") -> StateError:
    return StateError(
        f"the database was written by a newer ralph (schema {version}, this one knows {len(MIGRATIONS)}).",
        f"Upgrade ralph, or point {variable} elsewhere.",
    )
