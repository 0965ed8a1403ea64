"""A database in a temporary home, and a run in it."""

from contextlib import contextmanager

from ralph.model.events import Tokens
from ralph.model.evidence import AgentReport
from ralph.store.database import connect
from ralph.store.runs import begin_run

PROJECT = "/somewhere/project"


@contextmanager
def opened(home):
    connection = connect({"RALPH_HOME": str(home)})
    try:
        yield connection
    finally:
        connection.close()
        connection.engine.dispose()


def new_run(connection, **changes):
    return begin_run(connection, **{"recipe": "prompt", "version": 1, "project": PROJECT, "options": {}, **changes})


def worked(*, cost=0.5, **tokens):
    return AgentReport("ok", "it exited with code 0", "somewhere", cost_usd=cost, tokens=Tokens(**tokens))
