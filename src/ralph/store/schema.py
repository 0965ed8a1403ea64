"""The tables as SQLAlchemy sees them; `migrations.py` creates them."""

from sqlalchemy import BigInteger, Column, Float, Integer, LargeBinary, MetaData, Table, Text

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("parent_id", Text),
    Column("recipe", Text),
    Column("recipe_version", Integer),
    Column("project", Text),
    Column("status", Text),
    Column("verdict", Text),
    Column("reason", Text),
    Column("exit_code", Integer),
    Column("iterations", Integer),
    Column("started_at", Float),
    Column("ended_at", Float),
    Column("cost_usd", Float),
    Column("tokens", Text),
    Column("pid", Integer),
    Column("pid_started", Float),
    Column("options", LargeBinary),
    Column("task_id", Text),
)

specs = Table(
    "specs",
    metadata,
    Column("project", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("title", Text),
    Column("created_at", Float),
    Column("updated_at", Float),
)

tasks = Table(
    "tasks",
    metadata,
    Column("project", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("spec_id", Text),
    Column("title", Text),
    Column("description", Text),
    Column("status", Text),
    Column("priority", Integer),
    Column("dependencies", Text),
    Column("assignee", Text),
    Column("created_at", Float),
    Column("updated_at", Float),
    Column("metadata", Text),
    Column("iteration", Integer),
    Column("completion_spec", Text),
)

journal = Table(
    "journal",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("iteration", Integer),
    Column("kind", Text),
    Column("action", LargeBinary),
    Column("started_at", Float),
    Column("ended_at", Float),
    Column("result", LargeBinary),
    Column("error", Text),
)

stream_marks = Table(
    "stream_marks",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("at", Float),
    Column("bytes", BigInteger, primary_key=True),
    Column("events", BigInteger),
)

blobs = Table("blobs", metadata, Column("hash", Text, primary_key=True), Column("data", LargeBinary))

messages = Table(
    "messages",
    metadata,
    Column("bus", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("task_dir", Text),
    Column("type", Text),
    Column("ts", Float),
    Column("run_id", Text),
    Column("body", Text),
)
