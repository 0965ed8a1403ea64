"""`ralph spec run`: tasks in the order of their dependencies, one after another."""

import signal

import pytest

from loops import wait_until
from ralph.testing import hangs
from task_crew import BAD, GOOD, promise


def three(crew):
    crew.task(
        "A", coder={"promise": "MADE", "verification_config": {"command": "test -f work.txt"}, "max_iterations": 2}
    )
    crew.task("B", dependencies=["A"])
    crew.task("C")


def wrote(number):
    return promise("MADE", {f"{number}.txt": "1\n", "work.txt": f"good {number}\n"})


def test_tasks_run_in_order_each_on_what_came_before(crew):
    crew.task("B", dependencies=()), crew.task("A")
    crew.ralph("task", "delete", "B", "--yes")
    crew.task("B", dependencies=["A"])
    crew.hire(coder=[wrote(1), wrote(2)])
    ended = crew.ralph("spec", "run", "s")
    assert ended.code == 0, ended.err
    assert crew.git("log", "--reverse", "--format=%s", "main..ralph/s") == "Make A\nMake B\n"
    assert {"1.txt", "2.txt"} <= set(crew.git("ls-tree", "--name-only", "ralph/s").split())
    assert crew.ralph("spec", "run", "s").out == "All tasks of s are completed.\n"


@pytest.mark.e2e
def test_a_failed_task_stops_its_dependents_only(crew):
    three(crew)
    crew.hire(coder=[{"final": "I cannot."}, {"final": "I cannot."}, GOOD])
    ended = crew.ralph("spec", "run", "s")
    assert ended.code == 9
    assert "2 of 3 tasks not done: A: " in ended.err
    assert "B: it depends on A" in ended.err
    assert [crew.status_of(name) for name in "ABC"] == ["failed", "pending", "completed"]


def test_a_failed_task_stops_the_spec_if_the_settings_say_so(crew):
    three(crew)
    crew.hire(coder=[{"final": "I cannot."}, {"final": "I cannot."}, GOOD], settings={"spec": {"onFailure": "stop"}})
    ended = crew.ralph("spec", "run", "s")
    assert ended.code == 9
    assert [crew.status_of(name) for name in "ABC"] == ["failed", "pending", "pending"]
    assert len(crew.prompts("coder")) == 2


@pytest.mark.e2e
def test_a_killed_spec_goes_on_with_what_is_left(crew):
    three(crew)
    crew.hire(coder=[GOOD, hangs(), GOOD])
    with crew.start("spec", "run", "s") as running:
        wait_until(lambda: len(crew.prompts("coder")) == 2, "the second task never began")
        running.send(signal.SIGKILL)
        running.end()
    assert crew.status_of("A") == "completed"
    ended = crew.ralph("resume")
    assert ended.code == 0, ended.err
    assert [crew.status_of(name) for name in "ABC"] == ["completed"] * 3
    assert crew.git("log", "--format=%s", "main..ralph/s").splitlines().count("Make A") == 1


@pytest.mark.e2e
def test_the_same_command_continues_too(crew):
    three(crew)
    crew.hire(coder=[GOOD, BAD])
    assert crew.ralph("spec", "run", "s").code == 9
    crew.hire(coder=[GOOD])
    assert crew.ralph("spec", "run", "s").code == 0
    assert crew.git("log", "--format=%s", "main..ralph/s").splitlines().count("Make A") == 1


def test_a_dependency_in_another_spec_must_be_completed(crew):
    crew.task("X", spec="other")
    crew.task("A", dependencies=["X"])
    crew.hire(coder=[GOOD])
    refused = crew.ralph("spec", "run", "s")
    assert refused.code == 2
    assert "depends on X of another spec, which is pending" in refused.err
    refused = crew.run(name="A")
    assert (refused.code, "task A depends on X, which is pending" in refused.err) == (2, True)


def test_the_tree_shows_spec_task_and_stage(crew):
    crew.task("A")
    crew.hire(coder=[hangs()])
    with crew.start("spec", "run", "s") as running:
        wait_until(lambda: crew.prompts("coder"), "the coder never began")
        (spec,) = crew.json("status")
        running.send(signal.SIGKILL)
    (task,) = spec["children"]
    (stage,) = task["children"]
    assert [each["label"] for each in (spec, task, stage)] == ["s", "A", "A coder"]
    assert [each["recipe"] for each in (spec, task, stage)] == ["spec", "task", "stage"]


def test_a_spec_without_tasks_or_an_unknown_one_is_one_line(crew):
    crew.ralph("spec", "create", "empty")
    assert "has no tasks" in crew.ralph("spec", "run", "empty").err
    unknown = crew.ralph("spec", "run", "nowhere")
    assert (unknown.code, "there is no spec 'nowhere'" in unknown.err) == (2, True)
