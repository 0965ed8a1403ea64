"""What is Postgres' own: how it is reached, and what is said when it is not."""

import asyncio
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg
import pytest

from ralph.model.errors import ConfigError, StateError
from ralph.store.follow import news
from ralph.store.journal import check_chain
from ralph.store.open import child_environment, database_url, open_store
from ralph.store.postgres import PostgresStore, translated, translated_ddl
from ralph.store.runs import get_run
from ralph.store.schema import FIRST
from ralph.store.sql import Sql
from stores import Database, new_run, taken

WITHOUT_PSYCOPG = """
import sys
sys.modules["psycopg"] = None
from ralph.model.errors import ConfigError
from ralph.store.open import open_store
try:
    open_store({"RALPH_DATABASE_URL": "postgresql://ada:hunter2@localhost/ralph"})
except ConfigError as error:
    print(error.exit_code, error)
"""
UNLOADED = """
import sys
from ralph.store.open import open_store
with open_store() as store:
    store.read("SELECT count(*) AS number FROM runs")
    store.wait(0)
    print([name for name in ("asyncio", "psycopg") if name in sys.modules])
"""

INSERT = """INSERT INTO journal (run_id, n, what, key, attempt, at, line, mark, spent, body, digest, hash)
    VALUES ('run', :n, 'noted', '', 0, 0, :line, 'quiet', '', '', '', '')"""


@pytest.fixture
def database(postgres, tmp_path):
    return Database({"RALPH_HOME": str(tmp_path / "home"), "RALPH_DATABASE_URL": postgres})


def ended_by_the_server(store, connection):
    """As an administrator does, or a server that is restarted."""
    store.read("SELECT pg_terminate_backend(:pid)", pid=connection.info.backend_pid)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT :a, :a_b2 FROM x", b"SELECT %(a)s, %(a_b2)s FROM x"),
        ("SELECT '100%' WHERE a LIKE '%:b'", b"SELECT '100%%' WHERE a LIKE '%%:b'"),
        ("SELECT a::text, :b::bigint", b"SELECT a::text, %(b)s::bigint"),
        ("SELECT 'it''s :a', :b", b"SELECT 'it''s :a', %(b)s"),
        ("SELECT a[1:2]", b"SELECT a[1:2]"),
    ],
)
def test_a_statement_is_translated(text, expected):
    assert translated(text) == expected


def test_no_word_of_sqlite_is_left_in_the_tables():
    texts = b" ".join(translated_ddl(statement) for statement in FIRST)
    for word in (b"STRICT", b"AUTOINCREMENT", b"BLOB", b"REAL ", b"INTEGER"):
        assert word not in texts
    assert texts.count(b"GENERATED ALWAYS AS IDENTITY") == 2


def test_every_text_of_the_tables_is_ordered_by_its_bytes(postgres):
    PostgresStore(postgres).close()
    with psycopg.connect(postgres) as db:
        assert db.execute("SELECT 'B' < 'a'").fetchone() == (False,), "this server orders by bytes anyway"
        columns = "FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'text'"
        names = [name for (name,) in db.execute(f"SELECT collation_name {columns}")]
    assert len(names) > 20
    assert set(names) == {"C"}


def test_a_run_and_its_journal_lie_there_and_nothing_in_the_home(database, tmp_path):
    with database.open() as store:
        run_id = taken(store).run_id
    with database.open() as store:
        assert get_run(store, run_id).status == "running"
        assert check_chain(store, run_id) == 2
    assert not (tmp_path / "home").exists()


def test_without_psycopg_the_error_names_the_install():
    done = subprocess.run([sys.executable, "-c", WITHOUT_PSYCOPG], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("2 RALPH_DATABASE_URL names a Postgres database, and psycopg")
    assert 'pip install "ralph-engine[postgres]"' in done.stdout
    assert "hunter2" not in done.stdout + done.stderr


def test_who_uses_sqlite_loads_neither_psycopg_nor_asyncio(tmp_path):
    with Database({"RALPH_HOME": str(tmp_path)}).started(UNLOADED) as process:
        assert process.stdout.readline() == "[]\n"


@pytest.fixture
def closed_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        yield server.getsockname()[1]


def test_a_server_that_is_not_there_is_one_clear_line(closed_port):
    with pytest.raises(
        StateError, match=r"cannot connect to the database: .*refused.* RALPH_DATABASE_URL names it"
    ) as caught:
        PostgresStore(f"postgresql://ada:hunter2@127.0.0.1:{closed_port}/ralph")
    assert "\n" not in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_database_that_is_not_there_is_one_clear_line(postgres):
    with pytest.raises(
        StateError, match=r'cannot connect to the database: .*database "hunter2" does not exist'
    ) as caught:
        PostgresStore(postgres.replace("/postgres?", "/hunter2?"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:hunter2@[db/",
        "postgresql://ada:hunter2@db/ralph?colour=blue",
        "postgres://ada:hunter2@db/ralph?=%%",
    ],
)
def test_an_address_that_nobody_understands_is_not_repeated(url):
    with pytest.raises(ConfigError, match="RALPH_DATABASE_URL is not an address that Postgres understands") as caught:
        PostgresStore(url)
    assert "hunter2" not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_a_password_is_never_in_a_message(postgres):
    # The server repeats the name of the user, and here that is the password, too.
    with pytest.raises(StateError, match=r'role "\*\*\*" does not exist') as caught:
        PostgresStore(postgres.replace("ralph@", "hunter2:hunter2@"))
    assert "hunter2" not in str(caught.value)


def test_any_other_kind_of_database_is_refused():
    with pytest.raises(ConfigError, match="RALPH_DATABASE_URL is not the address of a Postgres database"):
        open_store({"RALPH_DATABASE_URL": "mysql://ada:hunter2@db/ralph"})


def test_a_user_who_may_not_make_tables_is_told_so(postgres):
    with psycopg.connect(postgres, autocommit=True) as db:
        db.execute("DROP ROLE IF EXISTS guest")
        db.execute("CREATE ROLE guest LOGIN")
        db.execute("GRANT USAGE ON SCHEMA public TO guest")
    with pytest.raises(StateError, match="cannot open the database: permission denied for schema public"):
        PostgresStore(postgres.replace("ralph@", "guest@"))


def test_a_server_that_goes_away_is_one_clear_line_each_time(database):
    with database.open() as store, database.open() as admin:
        ended_by_the_server(admin, store._db)
        for attempt in (lambda: new_run(store), lambda: store.read("SELECT 1 AS one"), lambda: new_run(store)):
            with pytest.raises(StateError, match=r"cannot (read|write) the database: ") as caught:
                attempt()
            assert "\n" not in str(caught.value)


def test_who_listens_is_told_that_the_server_went_away(database):
    async def listen(store, admin):
        rings = store.rings(at_most=60.0)
        await anext(rings)
        waiting = asyncio.ensure_future(anext(rings))
        await asyncio.sleep(0.05)
        ended_by_the_server(admin, store._ear)
        before = time.process_time()
        async with asyncio.timeout(30):
            with pytest.raises(StateError, match="cannot listen to the database: "):
                await waiting
        assert time.process_time() - before < 1.0, "a dead connection kept it busy"

    with database.open() as store, database.open() as admin:
        asyncio.run(listen(store, admin))
        with pytest.raises(StateError, match="cannot listen to the database: "):
            store.version()


def test_a_slow_writer_does_not_hide_its_row_from_a_follower(database):
    """An id is given at the INSERT: one that commits later would stand behind the follower's place."""
    slowly = [Sql(INSERT, {"n": 1, "line": "slow"}), Sql("SELECT pg_sleep(0.5)")]
    quickly = [Sql(INSERT, {"n": 2, "line": "quick"})]
    with database.open() as follower, database.open() as slow, database.open() as quick:
        new_run(follower, "run")
        threads = [
            threading.Thread(target=store.write, args=rows) for store, rows in ((slow, slowly), (quick, quickly))
        ]
        for thread in threads:
            thread.start()
            time.sleep(0.2)
        found, deadline = [], time.monotonic() + 30
        while len(found) < 2 and time.monotonic() < deadline:
            found += news(follower, found[-1].id if found else 0)
        for thread in threads:
            thread.join()
    assert [row.line for row in found] == ["slow", "quick"]


def test_an_interrupted_write_leaves_nothing_half_done(database):
    with database.open() as store, database.open() as other:
        with pytest.raises(StateError, match=r"query parameter missing: d\. See ralph doctor"):
            # The second statement lacks its value: no word of it reaches the server.
            store.write(
                Sql("INSERT INTO blobs (digest, data) VALUES ('a', 'b')"), Sql("DELETE FROM blobs WHERE data = :d")
            )
        # The lock that orders all writes is free again.
        other.write(Sql("INSERT INTO blobs (digest, data) VALUES (:d, :d)", {"d": b"c"}))
        assert store.read("SELECT digest FROM blobs") == [{"digest": b"c"}]


def test_agents_get_the_name_of_a_file_and_never_the_address(tmp_path):
    url = "postgresql://ada:hunter2@db/ralph"
    environ = {"RALPH_HOME": str(tmp_path / "home"), "RALPH_DATABASE_URL": url}
    given = child_environment(environ)
    assert list(given) == ["RALPH_STORE"]
    assert "hunter2" not in given["RALPH_STORE"]
    file = Path(given["RALPH_STORE"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list((tmp_path / "home").iterdir()) == [file]
    below = {"RALPH_HOME": environ["RALPH_HOME"], **given}
    assert database_url(below) == url
    assert child_environment(below) == given
    assert child_environment({"RALPH_HOME": environ["RALPH_HOME"]}) == {}


def test_a_run_that_an_agent_starts_finds_the_same_store(database):
    with database.open() as store:
        run_id = new_run(store)
    below = {"RALPH_HOME": database.environ["RALPH_HOME"], **child_environment(database.environ)}
    with open_store(below) as store:
        assert get_run(store, run_id).status == "queued"


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_named_store_that_cannot_be_read_is_never_taken_for_another(tmp_path, text):
    if text is not None:
        (tmp_path / "store").write_text(text)
    environ = {"RALPH_HOME": str(tmp_path), "RALPH_STORE": str(tmp_path / "store")}
    with pytest.raises(ConfigError, match=r"RALPH_STORE names .*store, which (cannot be read|is empty)"):
        open_store(environ)
    assert not (tmp_path / "ralph.db").exists()


def test_ralph_may_live_in_a_schema_of_its_own(postgres):
    with psycopg.connect(postgres, autocommit=True) as db:
        db.execute("DROP SCHEMA IF EXISTS beside CASCADE")
        db.execute("CREATE SCHEMA beside")
        db.execute("CREATE TABLE runs (somebody_elses INTEGER)")
    url = f"{postgres}&options=-csearch_path%3Dbeside"
    for _ in range(2):
        with PostgresStore(url) as store:
            new_run(store)
    with psycopg.connect(postgres) as db:
        assert db.execute("SELECT count(*) FROM beside.runs").fetchone() == (2,)
        assert db.execute("SELECT count(*) FROM public.runs").fetchone() == (0,)
        db.execute("DROP SCHEMA beside CASCADE")
