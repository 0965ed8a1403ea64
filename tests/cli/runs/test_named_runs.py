"""A run that is named by its task, or not at all."""

import json

import pytest

from ralph.app.runs.named import run_to_cancel
from ralph.model.errors import ConfigError
from ralph.testing import done, edits, hangs
from stored_runs import StoredRuns
from task_crew import TaskCrew, promise

GOOD = promise("MADE", {"work.txt": "good"})


def test_retry_without_a_run_takes_the_latest(loop):
    loop(done(), args=("-p", "First."))
    loop(done(), done(), args=("-p", "Second."))
    ended = loop.ralph("retry")
    assert ended.code == 0
    assert loop.agent.prompts == ["Second.", "Second."]


def test_cancel_without_a_run_takes_the_one_that_lives(loop):
    loop(done())
    loop.prepare(edits({"ready": ""}) | hangs())
    with loop.start() as running:
        running.wait_for("ready")
        ended = loop.ralph("cancel")
        running.end()
    assert ended.code == 0
    assert "is cancelled: it stopped when asked" in ended.out
    ended = loop.ralph("cancel")
    assert ended.code == 2
    assert ended.err == "ralph: nothing runs in this project. See what ran: ralph runs\n"


def test_cancel_without_a_run_lists_several(tmp_path):
    stored = StoredRuns(tmp_path / "home")
    ids = [stored.unfinished(tmp_path) for _ in range(2)]
    with stored.open() as store, pytest.raises(ConfigError) as refused:
        run_to_cancel(store, tmp_path, None)
    assert all(run_id in str(refused.value) for run_id in ids)
    assert refused.value.exit_code == 2


def test_a_task_id_works_wherever_a_run_id_does(tmp_path):
    crew = TaskCrew(tmp_path)
    crew.task()
    crew.hire(coder=[GOOD, GOOD])
    assert "task T-1 has not run yet. Run it: ralph task run T-1" in crew.ralph("status", "T-1").err
    assert crew.run().code == 0
    [top] = [run["id"] for run in json.loads(crew.ralph("runs", "--json").out) if not run["parentId"]]
    assert json.loads(crew.ralph("status", "T-1", "--json").out)[0]["id"] == top
    assert "<promise>MADE</promise>" in crew.ralph("logs", "T-1").out
    assert f"run {top}" in crew.ralph("show", "T-1").out
    assert f"{top} had already ended: verified" in crew.ralph("cancel", "T-1").out
    for words in (["pause", "T-1"], ["guide", "T-1", "Mind it."]):
        assert f"run {top} is not active: verified" in crew.ralph(*words).err
    assert f"run {top} has ended" in crew.ralph("resume", "T-1").err
    assert crew.ralph("retry", "T-1").code == 0


def test_a_task_of_a_spec_run_does_not_mean_the_whole_spec(tmp_path):
    crew = TaskCrew(tmp_path)
    crew.task()
    crew.hire(coder=[GOOD])
    assert crew.ralph("spec", "run", "s").code == 0
    [top] = [run["id"] for run in json.loads(crew.ralph("runs", "--json").out) if not run["parentId"]]
    ended = crew.ralph("cancel", "T-1")
    assert ended.code == 2
    assert ended.err == f"ralph: task T-1 is a part of run {top} (spec). Cancel all of that: ralph cancel {top}\n"
    assert "Run it again: ralph task run T-1" in crew.ralph("retry", "T-1").err
