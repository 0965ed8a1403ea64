"""A Postgres of the tests' own, from the programs of the system."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import psycopg

from ralph.proc import reaper

PATIENCE = 60.0
# Ordered by the rules of a language: what needs the order of bytes must ask for it.
INIT = ("--auth=trust", "--username=ralph", "--encoding=UTF8", "--no-sync")
LANGUAGE = ("--locale-provider=icu", "--icu-locale=en-US", "--locale=C")
QUICK = ("-c", "fsync=off", "-c", "listen_addresses=")


def programs():
    """The newest folder that holds `initdb` and `postgres`, or None. Debian keeps it off the PATH."""
    found = shutil.which("initdb")
    on_path = [Path(found).resolve().parent] if found else []
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parent.name), reverse=True)
    return next(
        (each for each in [*on_path, *debian] if (each / "initdb").exists() and (each / "postgres").exists()), None
    )


@contextmanager
def postgres_server(folder):
    """The address of a database on a server that runs as long as the block."""
    # Not below pytest's own folder: the path of a socket has to be short, and another user must reach it.
    home = Path(tempfile.mkdtemp(prefix="ralph-pg-", dir="/tmp"))
    user = _user()
    try:
        if user:
            os.chown(home, user["user"], user["group"])
        init = [folder / "initdb", *INIT, *LANGUAGE, "-D", home / "data"]
        subprocess.run(init, check=True, cwd=home, stdout=subprocess.DEVNULL, **user)
        with (home / "log").open("wb") as log, _running(folder, home, log, user):
            url = f"postgresql://ralph@/postgres?host={home}"
            _wait_for(url, home / "log")
            yield url
    finally:
        shutil.rmtree(home)


def emptied(url):
    """The database as it was new, whoever was still connected to it."""
    with psycopg.connect(url, autocommit=True) as db:
        others = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
        db.execute(f"SELECT pg_terminate_backend(pid) {others}")
        db.execute("DROP SCHEMA public CASCADE")
        db.execute("CREATE SCHEMA public")
    return url


def _user():
    """Postgres refuses to be root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise AssertionError("neither a user postgres nor nobody")


@contextmanager
def _running(folder, home, log, user):
    argv = [folder / "postgres", "-D", home / "data", "-k", home, *QUICK]
    with subprocess.Popen(argv, cwd=home, stdout=log, stderr=log, **user) as server:
        # A run that is driven in this process ends every child of it that it does not know.
        reaper.started.add(server.pid)
        try:
            yield
        finally:
            reaper.started.discard(server.pid)
            server.send_signal(signal.SIGINT)
            server.wait(PATIENCE)


def _wait_for(url, log):
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        else:
            return
