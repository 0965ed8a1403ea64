"""Which database to use: SQLite in ralph's home, unless the environment names a Postgres."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from ralph.config.home import ralph_home
from ralph.model.errors import ConfigError
from ralph.store.files import cannot_write, write_new
from ralph.store.sql import Store

URL, FILE = "RALPH_DATABASE_URL", "RALPH_STORE"
POSTGRES = ("postgresql://", "postgres://")


def open_store(environ: Mapping[str, str] | None = None, say: Callable[[str], None] | None = None) -> Store:
    """The store. `say` gets, in one line, what a person should know about it."""
    environ = os.environ if environ is None else environ
    if url := database_url(environ):
        return _postgres(url)
    from ralph.store.sqlite import SqliteStore

    return SqliteStore(ralph_home(environ), say=say)


def _postgres(url: str) -> Store:
    try:
        from ralph.store.postgres import PostgresStore
    except ImportError as error:
        raise ConfigError(
            f"{URL} names a Postgres database, and psycopg, which ralph needs for it, is not installed.",
            'Install it: pip install "ralph-engine[postgres]"',
        ) from error
    return PostgresStore(url)


def database_url(environ: Mapping[str, str]) -> str:
    """The URL of the Postgres to use; empty for SQLite."""
    url = environ.get(URL, "")
    if not url and (file := environ.get(FILE)):
        try:
            url = Path(file).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ConfigError(
                f"{FILE} names {file}, which cannot be read: {error.strerror}.", "Restart the run that wrote it."
            ) from error
        if not url:
            raise ConfigError(f"{FILE} names {file}, which is empty.", "Restart the run that wrote it.")
    if url and not url.startswith(POSTGRES):
        raise ConfigError(f"{URL} is not the address of a Postgres database.", "It begins with postgresql://")
    return url


def child_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment that a ralph started by an agent needs to find the same store. The URL may hold a password, so it
    is in a file that only this user can read, and never in an agent's environment.
    """
    environ = os.environ if environ is None else environ
    url = database_url(environ)
    if not url:
        return {}
    from hashlib import blake2b

    home = ralph_home(environ)
    file = home / f"store-{blake2b(url.encode(), digest_size=6).hexdigest()}"
    if not file.exists():
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            # The file is complete under its name: a child that read half of it would use another database.
            part = file.with_name(f"{file.name}.{os.getpid()}")
            write_new(part, f"{url}\n".encode())
            part.replace(file)
        except OSError as error:
            raise cannot_write(file, error, "Make it writable, or set RALPH_HOME.") from error
    return {FILE: str(file)}
