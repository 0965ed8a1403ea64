"""Every command that opens the store does its work on a Postgres, and leaves no database in ralph's home."""

import json

import pytest

from loops import wait_until
from ralph.testing import ScriptedAgent, done, edits, hangs, says
from task_crew import GOOD, TaskCrew

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
COMPLETION = {"outcome": "It is good.", "acceptance_criteria": ["it is good"]}
ACCEPTED = ("--outcome", "It is there.", "--acceptance", "It is there.", "--coder-verify-cmd", "true")


class OnPostgres:
    """The commands, each of which must end as it should."""

    def __init__(self, crew, url):
        self.crew = crew
        self.env = {"RALPH_DATABASE_URL": url, "EDITOR": "true"}

    def __call__(self, *args, code=0):
        ended = self.crew.ralph(*args, env=self.env)
        assert (ended.code, "Traceback" in ended.err) == (code, False), f"{args}: {ended.code} {ended.err}"
        return ended.out

    def json(self, *args):
        return json.loads(self(*args, "--json"))

    def start(self, *args):
        return self.crew.start(*args, env=self.env)


@pytest.fixture
def ralph(tmp_path, postgres):
    crew = TaskCrew(tmp_path)
    crew.hire(coder=[GOOD])
    return OnPostgres(crew, postgres)


@pytest.fixture(autouse=True)
def nothing_at_home(ralph):
    yield
    home = ralph.crew.repo.home / ".ralph"
    assert not [path.name for path in home.iterdir() if path.name.startswith(("ralph.db", "bell"))]


def agent(ralph, name, *steps):
    return ScriptedAgent(*steps, directory=ralph.crew.repo.home / name).command


def test_a_loop_from_its_start_to_its_end(ralph):
    works = agent(ralph, "works", says("Not yet."), edits({"made": ""}) | done())
    ralph("run", "-p", "Do it.", "--agent", works, "-m", "1", code=1)
    [run] = [each["id"] for each in ralph.json("runs")]
    ralph("resume", run, "-m", "3")
    assert ralph.json("show", run)["verdict"] == "verified"
    assert "is intact" in ralph("show", run, "--verify-journal")
    assert "iteration 1" in ralph("logs", run)
    assert run in ralph("status", "--all")
    ralph("retry", run)
    assert len(ralph.json("runs")) == 2
    ralph("supervise", "--", "touch", "DONE")
    assert "Removed" in ralph("runs", "gc", "--keep", "0")
    assert ralph.json("runs") == []
    assert "postgresql" in ralph("doctor", code=2), "only the agent is missing"
    ralph("config", "show")


def test_a_loop_that_is_steered_while_it_runs(ralph):
    repo = ralph.crew.repo
    waits = agent(ralph, "waits", edits({"ready": ""}) | hangs(), done())
    with ralph.start("run", "-p", "Do it.", "--agent", waits) as running:
        wait_until((repo.path / "ready").exists, "it did not begin")
        [run] = [each["id"] for each in ralph.json("runs")]
        assert ralph.json("status")[0]["status"] == "running"
        ralph("pause", run)
        ralph("guide", run, "Be quick.")
        ralph("cancel", run)
        assert running.end().code == 130
    assert ralph.json("show", run)["verdict"] == "cancelled"


def test_specs_and_tasks(ralph):
    ralph("spec", "create", "s", "--title", "A spec")
    ralph("task", "create", "T-0", "s", "A task", *ACCEPTED)
    ralph("task", "edit", "T-0")
    assert [each["id"] for each in ralph.json("task", "list")] == ["T-0"]
    assert [each["id"] for each in ralph.json("spec", "list")] == ["s"]
    assert "A task" in ralph("task", "show", "T-0")
    assert "A task" in ralph("task", "export", "T-0")
    ralph("task", "followup", "T-0", "Another task")
    for name in ("T-0-2", "T-0"):
        ralph("task", "delete", name, "--yes")
    ralph("spec", "delete", "s", "--yes")
    assert ralph.json("spec", "list") == []
    ralph("bus", "post", "--task-dir", ".", "--type", "FACT", "It is so.")
    assert [each["body"] for each in ralph.json("bus", "read", "--task-dir", ".")] == ["It is so."]


def test_a_task_is_driven_here_and_away_and_its_proof_is_checked(ralph):
    crew = ralph.crew
    for name, before in (("T-1", ()), ("T-2", ("T-1",))):
        written = {"coder": {"promise": "MADE", "verification_config": {"command": "grep -q good work.txt"}}}
        task = {"id": name, "spec": "s", "title": name, "dependencies": before}
        crew.repo.write("task.json", json.dumps({**task, "completion": {**COMPLETION, **written}}))
        ralph("task", "import", "task.json")
    ralph("task", "run", "T-1")
    assert "proven" in ralph("proof", "show", "T-1")
    ralph("proof", "verify", "T-1", "--run-listed")
    ralph("verify", "T-1")
    ralph("spec", "run", "s", "--detach")
    wait_until(lambda: {each["status"] for each in ralph.json("task", "list")} == {"completed"}, "it was not driven")
