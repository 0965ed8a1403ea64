"""What is stored of a run names places, never where they lie on this machine."""

import json
import sqlite3
from contextlib import closing

import pytest

from ralph.testing import ScriptedAgent, done, edits
from task_crew import BAD, GOOD, TaskCrew

STORED = """SELECT run_id || ' ' || what || ' ' || key AS name, line, coalesce(body, data) AS body
    FROM journal LEFT JOIN blobs ON body IS NULL AND blobs.digest = journal.digest
    UNION ALL SELECT id || ' options', '', options FROM runs"""


@pytest.fixture
def crew(tmp_path):
    return TaskCrew(tmp_path)


def naming_the_project(crew):
    """Rows with a path that would be wrong after the project was moved."""
    path = str(crew.repo.path)
    with closing(sqlite3.connect(crew.repo.home / ".ralph/ralph.db")) as file:
        rows = file.execute(STORED).fetchall()
    assert len(rows) > 10
    return [name for name, line, body in rows if path in line or path.encode() in body]


def test_a_task_with_its_stages_checks_and_proof(crew):
    crew.hire({"worktree": {"init": "echo prepared", "copy": [".env"]}}, coder=[BAD, GOOD], reviewer=[])
    crew.repo.write(".env", "local\n")
    crew.task()
    assert crew.run().code == 0
    assert naming_the_project(crew) == []


def test_a_loop_with_a_prompt_file_and_a_guardrail(crew, tmp_path):
    agent = ScriptedAgent(done(), edits({"made": ""}) | done(), directory=tmp_path / "bin")
    settings = {"agent": {"command": agent.command}, "guardrails": [{"command": "test -e made"}]}
    crew.repo.write(".ralph/settings.json", json.dumps(settings))
    crew.repo.write("prompt.md", "Make it.")
    assert crew.ralph("run", "-f", str(crew.repo.path / "prompt.md")).code == 0
    assert naming_the_project(crew) == []
