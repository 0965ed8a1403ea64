"""`ralph spec run --workers N`: tasks of a spec at once, delivered one after another on top of each other."""

import random
import re
import signal
import time

import pytest

from loops import wait_until
from task_crew import promise

NAMES = ("A", "B", "C", "D", "E")


def makes(name, files=None, **more):
    """The step of the coder for this task."""
    written = {f"{name}.txt": f"{name}\n"} if files is None else files
    return {"when": {"prompt_contains": f"# {name}:"}, **promise("MADE", written), **more}


def checked_by(command):
    return {"promise": "MADE", "verification_config": {"command": command}, "max_iterations": 3}


@pytest.fixture
def spec(crew):
    """Tasks that each make a file of their own; D needs A, E needs B and C."""

    def write(*steps, settings=None, **commands):
        needs = {"D": ["A"], "E": ["B", "C"]}
        for name in NAMES:
            command = commands.get(name, f"test -f {name}.txt")
            crew.task(name, dependencies=needs.get(name, []), coder=checked_by(command))
        crew.hire(settings, coder=[*steps, *(makes(name) for name in NAMES)])

    return write


def once_delivered(crew, name):
    """What an agent does so that its work comes after that of another task."""
    there = f"git -C {crew.repo.path} log --format=%s ralph/s -- 2>/dev/null | grep -q '^Make {name}$'"
    return f"i=0; until {there} || [ $i -gt 1500 ]; do i=$((i+1)); sleep 0.02; done"


def order_of_starts(crew):
    return [re.search(r"^# (\w+):", prompt, re.MULTILINE)[1] for prompt in crew.prompts("coder")]


def files_on_branch(crew):
    return sorted(crew.git("ls-tree", "--name-only", "ralph/s").split())


def commits(crew):
    return crew.git("log", "--format=%s", "ralph/s").splitlines()


def test_three_tasks_run_at_once_and_all_are_delivered(crew, spec):
    here = "ls ../../../*.here | wc -l"
    met = (
        f"touch ../../../{{0}}.here; i=0; while [ $({here}) -lt 3 ] && [ $i -lt 500 ]; do i=$((i+1)); sleep 0.02; done"
    )
    spec(*(makes(name, run=met.format(name)) for name in "ABC"))
    ended = crew.ralph("spec", "run", "s", "--workers", "3")
    assert ended.code == 0, ended.err
    assert sorted(order_of_starts(crew)[:3]) == ["A", "B", "C"]
    assert {f"{name}.txt" for name in NAMES} <= set(files_on_branch(crew))
    assert sorted(commits(crew)[:5]) == [f"Make {name}" for name in NAMES]
    assert len(commits(crew)) == 6
    assert "[A coder]" in ended.err


@pytest.mark.e2e
def test_one_worker_is_the_default_and_runs_them_in_order(crew, spec):
    spec()
    assert crew.ralph("spec", "run", "s").code == 0
    assert order_of_starts(crew) == list(NAMES)


@pytest.mark.e2e
def test_parallel_is_another_name_for_workers(crew, spec):
    spec()
    assert crew.ralph("spec", "run", "s", "--parallel", "2").code == 0
    assert crew.ralph("spec", "run", "s", "--workers", "0").code == 2


@pytest.mark.e2e
def test_what_is_merged_is_checked_again_on_the_merged_tree(crew, spec):
    """B and C pass alone; together they break the check of the one that is delivered last."""
    alone = "test $(ls *.txt | grep -c '^[BC]') = 1"
    spec(makes("C", run=once_delivered(crew, "B")), B=alone, C=alone)
    ended = crew.ralph("spec", "run", "s", "--workers", "3")
    assert ended.code == 9
    assert "after the merge with ralph/s" in ended.err
    assert "C.txt" not in files_on_branch(crew)
    assert crew.status_of("C") == "failed"
    assert crew.status_of("E") == "pending"


@pytest.mark.e2e
def test_a_conflict_names_the_files_keeps_the_worktree_and_is_done_anew_on_the_new_base(crew, spec):
    ours, theirs = {"same.txt": "ours\n", "B.txt": ""}, {"same.txt": "theirs\n", "C.txt": ""}
    spec(makes("B", ours), makes("C", theirs, run=once_delivered(crew, "B")))
    ended = crew.ralph("spec", "run", "s", "--workers", "3")
    assert ended.code == 9
    assert "conflicts with it in same.txt" in ended.err
    assert crew.exists(".ralph/worktrees/C")
    assert crew.on_branch("same.txt") == "ours\n"
    crew.hire(coder=[makes("C", {"same.txt": "ours\ntheirs\n", "C.txt": ""}), *(makes(name) for name in NAMES)])
    again = crew.ralph("resume")
    assert again.code == 0, again.err
    assert crew.on_branch("same.txt") == "ours\ntheirs\n"
    assert commits(crew).count("Make C") == 1
    assert "theirs" in crew.git("log", "--format=%H", "-p", "--all", "--", "same.txt")


@pytest.mark.e2e
def test_a_budget_is_shared_by_all_that_run_at_once(crew, spec):
    spec(*(makes(name, cost=1.0, sleep=0.2) for name in NAMES), settings={"budget": {"usd": 2.5}})
    ended = crew.ralph("spec", "run", "s", "--workers", "2")
    assert ended.code == 4, ended.err
    [spent] = [run["costUsd"] for run in crew.json("runs") if not run["parentId"]]
    # What was under way when the budget was spent may finish; nothing begins after it.
    assert 2.5 <= spent <= 4.0
    assert crew.ralph("resume", "--budget-usd", "50").code == 0


@pytest.mark.e2e
@pytest.mark.timeout(900)
def test_three_workers_killed_at_random_end_with_the_same_tree_as_one_at_a_time(crew, spec):
    chance = random.Random(7)  # noqa: S311 - to be repeated, not to be secret
    spec(*(makes(name, sleep=0.3) for name in NAMES))
    begin = ("spec", "run", "s", "--workers", "3", "--quiet")
    for _ in range(12):
        with crew.start(*begin) as running:
            time.sleep(chance.uniform(0.1, 1.6))
            if running._process.poll() is not None:
                break
            running.send(signal.SIGKILL)
            running.end()
        if crew.json("runs"):
            begin = ("resume", "--quiet")
    if any(crew.status_of(name) != "completed" for name in NAMES):
        wait_until(lambda: crew.ralph("resume", "--quiet").code == 0, "it was not completed", patience=120)
    assert sorted(commits(crew)[:-1]) == [f"Make {name}" for name in NAMES]
    for name in NAMES:
        assert crew.on_branch(f"{name}.txt") == f"{name}\n"


@pytest.mark.e2e
def test_a_raised_limit_holds_for_every_task_that_ended_by_it(crew, spec):
    more = crew.repo.path.parent / "more"
    late = [makes(name, {}, run=f"[ ! -e {more} ] || echo {name} > {name}.txt") for name in ("A", "B")]
    spec(*late)
    ended = crew.ralph("spec", "run", "s")
    assert ended.code == 9, ended.err
    assert "Continue with a higher limit for the tasks that reached it: ralph resume" in ended.err
    assert [crew.status_of(name) for name in NAMES] == ["failed", "failed", "completed", "pending", "pending"]
    more.touch()
    again = crew.ralph("resume", "-m", "5")
    assert again.code == 0, again.err
    assert [crew.status_of(name) for name in NAMES] == ["completed"] * 5
    assert order_of_starts(crew).count("A") == order_of_starts(crew).count("B") == 4
    assert order_of_starts(crew).count("C") == 1
