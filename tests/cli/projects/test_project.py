"""`ralph project` and `ralph chunk`, as a person types them."""

import json

import pytest

from ralph.testing import run_ralph
from refusals import one_clear_line
from task_crew import GOOD, TaskCrew
from task_shell import DONE, TaskShell

pytestmark = pytest.mark.e2e


@pytest.fixture
def shell(tmp_path):
    return TaskShell(tmp_path.resolve())


def test_add_list_show_edit_remove(shell):
    path = shell.repo.path
    assert shell.good("project", "list").startswith("There are no projects yet.")
    one_clear_line(shell("project", "show"), 2, "is not a project yet. Add it: ralph project add")
    assert shell.good("project", "add", "--name", "Shop") == f"Added {path.name} (Shop) in {path}\n"
    shell.good("spec", "create", "auth")
    assert shell.good("project", "list") == f"{path.name}  {path} · 1 spec · 0 runs\n"
    assert shell.json("project", "show")["specs"] == ["auth"]
    assert "specs: auth\n" in shell.good("project", "show", path.name)
    assert shell("project", "edit", path.name).code == 2
    assert shell.good("project", "edit", path.name, "--name", "Store").startswith(f"Saved {path.name} (Store)")
    one_clear_line(shell("project", "remove", path.name), 2, "stdin is not a terminal")
    told = f"Forgot {path.name} with 1 spec, 0 tasks and 0 runs. All files stay in {path}.\n"
    assert shell.good("project", "remove", path.name, "--yes") == told
    assert shell.json("project", "list") == []


def test_chunk_is_another_name_for_task(shell):
    shell.good("spec", "create", "auth")
    told = shell.good("chunk", "create", "A", "auth", "One", *DONE)
    assert told.startswith("Created A.")
    assert shell.json("chunk", "show", "A") == shell.json("task", "show", "A")
    assert "Usage: ralph chunk" in shell("chunk", "--help").out
    inside = {"RALPH_RUN_ID": "0123abcd"}
    assert shell("chunk", "list", env=inside).code == 0
    one_clear_line(shell("chunk", "delete", "A", "--yes", env=inside), 2, "ralph chunk delete cannot be used inside")


def test_a_moved_project_goes_on_where_it_stopped(tmp_path):
    crew = TaskCrew(tmp_path)
    crew.hire(coder=[{"final": "not yet"}, GOOD])
    crew.task(
        coder={"promise": "MADE", "verification_config": {"command": "grep -q good work.txt"}, "max_iterations": 1}
    )
    assert crew.run().code == 1
    [run] = [each["id"] for each in crew.json("runs") if each["recipe"] == "task"]
    old = crew.repo.path
    crew.repo.path = old.rename(tmp_path / "moved")
    for command in (("resume", run, "-m", "3"), ("retry", run)):
        refused = crew.ralph(*command)
        one_clear_line(refused, 2, f"{old}, the folder of the project {old.name}, is gone.")
        assert f"ralph project edit {old.name} --path DIR" in refused.err
    assert not old.exists()
    edited = run_ralph(crew.repo, "project", "edit", old.name, "--path", ".")
    assert edited.returncode == 0, edited.stderr
    ended = crew.ralph("resume", run, "-m", "3")
    assert ended.code == 0, ended.err
    assert crew.on_branch("work.txt") == "good\n"
    assert json.loads(run_ralph(crew.repo, "task", "show", "T-1", "--json").stdout)["status"] == "completed"
