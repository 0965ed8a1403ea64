"""What a performer works with: the plan that was stored, and a workbench for each attempt."""

import asyncio
import json

import pytest

from ralph.app.runs.prompt_run import plan_run
from ralph.app.runs.starting import store_run
from ralph.loop.run import drive_run
from ralph.loop.stop import Stop
from ralph.loop.streams import Streams
from ralph.store.journal import rows_of
from ralph.store.sqlite import SqliteStore
from ralph.testing import temp_repo

AGENT = """\
#!/bin/sh
env > "$RUN_FOLDER/seen-by-the-agent"
echo "<response>DONE</response>"
"""
# Once: the trials of a proof run it again.
GUARDRAIL = 'cd "$RUN_FOLDER"; test -e seen-by-the-guardrail || env > seen-by-the-guardrail'


@pytest.fixture
def scene(tmp_path, monkeypatch):
    repo = temp_repo(tmp_path)
    for name, value in repo.env.items():
        monkeypatch.setenv(name, value)
    store = SqliteStore(repo.home / ".ralph")
    yield repo, store
    store.close()


def planned(repo, tmp_path, name="agent"):
    program = tmp_path / name
    program.write_text(AGENT)
    program.chmod(0o755)
    flags = {"agent": {"command": str(program)}, "guardrails": [{"command": GUARDRAIL}], "maximumIterations": 1}
    return plan_run(repo.path, prompt="Do it.", prompt_file=None, flags=flags)[0]


def driven(store, run_id, plan):
    async def main():
        return await drive_run(store, run_id, Stop(), Streams(), plan=plan)

    return asyncio.run(main())


def result_of(store, run_id, kind):
    ended = [row for row in rows_of(store, run_id) if row.what == "ended" and row.key.startswith(f"{kind}/")]
    return json.loads(ended[0].body)


def test_a_run_is_driven_by_what_was_stored_whatever_plan_the_caller_has(scene, tmp_path):
    repo, store = scene
    run_id = store_run(store, repo.path, planned(repo, tmp_path))
    other = planned(repo, tmp_path, "other")
    (tmp_path / "other").write_text("#!/bin/sh\nexit 3\n")
    driven(store, run_id, other)
    assert result_of(store, run_id, "run-agent")["status"] == "ok"


def test_the_agent_and_the_guardrail_see_what_each_may_and_who_they_work_for(scene, tmp_path, monkeypatch):
    repo, store = scene
    monkeypatch.setenv("STRIPE_API_KEY", "the user's own")
    monkeypatch.setenv("CLAUDECODE", "1")
    plan = planned(repo, tmp_path)
    run_id = store_run(store, repo.path, plan)
    driven(store, run_id, plan)
    folder = repo.path / ".ralph/runs" / run_id
    agent, guardrail = (
        dict(line.split("=", 1) for line in (folder / f"seen-by-the-{name}").read_text().splitlines() if "=" in line)
        for name in ("agent", "guardrail")
    )
    assert (agent["RALPH_RUN_ID"], guardrail["RALPH_RUN_ID"]) == (run_id, run_id)
    for seen in (agent, guardrail):
        assert "STRIPE_API_KEY" in seen, "their tools need the user's environment"
        assert "CLAUDECODE" not in seen, "neither is a part of another agent's session"
    tags = [each["RALPH_ATTEMPT_ID"].partition(".")[2].rpartition(".")[0] for each in (agent, guardrail)]
    assert [tag.split("/")[:2] for tag in tags] == [[run_id, "run-agent"], [run_id, "run-command"]]


def test_what_lies_in_the_project_is_named_as_seen_from_it(scene, tmp_path):
    repo, store = scene
    plan = planned(repo, tmp_path)
    run_id = store_run(store, repo.path, plan)
    driven(store, run_id, plan)
    assert result_of(store, run_id, "run-agent")["attemptDir"] == f".ralph/runs/{run_id}/iteration-1"
    log = result_of(store, run_id, "run-command")["log"]
    assert log.startswith(".ralph/guardrail_1_")
    assert (repo.path / log).exists()
