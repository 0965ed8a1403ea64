"""Writes what a test runner did, one JSON list on a line. It runs on Python 3.8 and newer."""

import json
import os
from contextlib import suppress

FOLDER = "RALPH_INVENTORY"
INSIDE = "RALPH_INVENTORY_INSIDE"
BEFORE = "RALPH_INVENTORY_BEFORE"


class Journal:
    """One session of one runner. It writes only at its beginning and its end: tests may replace the file system."""

    def __init__(self, runner, root):
        self._path = os.path.join(os.environ[FOLDER], f"{runner}-{os.getpid()}.jsonl")
        self._process = os.getpid()
        self._lines = []
        self._given = _without_ours()
        _append(self._path, [["begun", runner, root]])

    def test(self, file, name, outcome):
        self._lines.append(["test", file, name, outcome])

    def collection_failed(self):
        self._lines.append(["collect"])

    def end(self):
        """Write the end. A fork of the session's process is not the session."""
        if os.getpid() == self._process:
            _append(self._path, [*self._lines, ["ended"]])

    def close(self):
        os.environ.pop(INSIDE, None)
        os.environ.update(self._given)


def is_nested():
    """Whether a test started this runner, which is then part of that test."""
    return INSIDE in os.environ or FOLDER not in os.environ


def _without_ours():
    """Give the processes that tests start the user's own pytest options; return the previous value."""
    os.environ[INSIDE] = str(os.getpid())
    ours = os.environ.pop("PYTEST_ADDOPTS", None)
    users = json.loads(os.environ.get(BEFORE, "{}")).get("PYTEST_ADDOPTS")
    if users is not None:
        os.environ["PYTEST_ADDOPTS"] = users
    return {} if ours is None else {"PYTEST_ADDOPTS": ours}


def _append(path, lines, open=open):  # noqa: A002 - tests may replace the built-in one and leave it so
    """Append the lines. A folder that cannot be written must not break the check; a missing report is noticed
    elsewhere.
    """
    data = "".join(json.dumps(line) + "\n" for line in lines)
    with suppress(OSError), open(path, "a", encoding="ascii") as file:
        file.write(data)
