"""A look whether the database can be used. It creates and changes nothing."""

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import NamedTuple
from urllib.parse import urlsplit

from ralph.config.home import ralph_home
from ralph.model.errors import RalphError
from ralph.store.open import URL, database_url, open_store
from ralph.store.sqlite import NAME

OLDEST_SQLITE = (3, 37, 0)
"""The first SQLite version with STRICT tables."""


class Health(NamedTuple):
    is_good: bool
    detail: str
    hint: str = ""


def sqlite_health() -> Health:
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        return Health(is_good=True, detail=version)
    return Health(is_good=False, detail=f"{version} is too old", hint="Use a Python with SQLite 3.37 or newer.")


def database_health(environ: Mapping[str, str], patience: float) -> Health:
    try:
        url = database_url(environ)
    except RalphError as error:
        return Health(is_good=False, detail=error.message, hint=error.hint)
    return _postgres(environ, url) if url else _sqlite(environ, patience)


def _sqlite(environ: Mapping[str, str], patience: float) -> Health:
    path = ralph_home(environ) / NAME
    if not os.access(path, os.F_OK):
        return Health(is_good=True, detail=f"{path} will be created")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=patience)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        hint = "Move it away, or set RALPH_HOME to another directory."
        return Health(is_good=False, detail=f"{path} cannot be read: {error}", hint=hint)
    return Health(is_good=True, detail=str(path))


def _postgres(environ: Mapping[str, str], url: str) -> Health:
    try:
        with open_store(environ):
            return Health(is_good=True, detail=f"{server(url)} answers")
    except RalphError as error:
        return Health(is_good=False, detail=f"{server(url)}: {error.message}", hint=error.hint or f"Check {URL}.")


def server(url: str) -> str:
    """The scheme and host of the URL; never the user, the password or what follows."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return f"{URL} is not an address"
    return f"{parts.scheme or 'no scheme'} on {parts.hostname or 'this machine'}{port}"
