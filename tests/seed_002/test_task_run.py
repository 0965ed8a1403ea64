"""`ralph task run` around its stages: the complete example, interruptions, worktrees, and what cannot be run."""

import json
import re
import signal

import pytest

from loops import is_alive, wait_until
from ralph.testing import hangs
from seed_task import COMPLETE
from survivors import STAYS_DEAF
from task_crew import BAD, GOOD, judges, promise, rejects

SURVIVOR = {"spawn": {"command": STAYS_DEAF, "setsid": True}}
GO = {"run": "while [ ! -e go ]; do sleep 0.05; done; rm go"}
CODE = {
    "src/auth/middleware.py": "jwt.verify(token)\n",
    "src/auth/jwt.py": "def verify(): ...\n",
    "src/auth/routes.py": "def login(): ...\n",
}


def programs(crew, **scripts):
    """Programs of these names, found before any others."""
    folder = crew.repo.home / "bin"
    folder.mkdir()
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{crew.repo.env['PATH']}"}


def runs(crew, recipe):
    return [run for run in crew.json("runs", "--all") if run["recipe"] == recipe]


def wait_for_start(crew, number, role="coder"):
    wait_until(lambda: len(crew.prompts(role)) >= number, f"start {number} of the {role} never came")


def test_the_complete_example_runs_through_all_four_roles(crew):
    (crew.repo.home / "task.yaml").write_text(COMPLETE)
    assert crew.ralph("task", "import", str(crew.repo.home / "task.yaml")).code == 0
    review = [
        "no hardcoded secrets or keys",
        "proper error handling for auth failures",
        "input validation on credentials",
    ]
    review += ["secure password hashing", "token expiration handling"]
    accepted = ["JWT middleware validates tokens", "Login returns JWT", "401 for invalid tokens"]
    seen = {name.replace(" ", "_"): True for name in (*review, *accepted)}
    crew.hire(
        coder=[
            promise("AUTH_IMPLEMENTED"),
            promise("AUTH_IMPLEMENTED", {**CODE, "src/auth/routes.py": "password = 'x'\n"}),
            promise("AUTH_IMPLEMENTED", CODE),
        ],
        reviewer=[promise("AUTH_REVIEWED"), rejects("a password in routes.py"), promise("AUTH_REVIEWED")],
        tester=[promise("AUTH_TESTS_PASS", {"tests/test_auth.py": "def test_it(): ...\n"})],
        qa=[promise("AUTH_QA_COMPLETE")],
        judge=[judges(**seen)],
    )
    env = programs(crew, pytest="test -f tests/test_auth.py && echo 3 passed", bandit='test -d "$2"')
    ended = crew.run(name="TASK-001", env=env)
    assert ended.code == 0, ended.err
    assert "Found" not in ended.out
    assert 'negative pattern "password ="' in crew.prompts("reviewer")[1]
    assert "a password in routes.py" in crew.prompts("coder")[2]
    assert crew.on_branch("src/auth/routes.py", "ralph/auth-feature") == CODE["src/auth/routes.py"]
    tree = crew.ralph("status", "--tree").out
    assert [word in tree for word in ("coder", "reviewer", "tester", "qa")] == [True] * 4
    assert "all 3 verification stages passed" in crew.ralph("show").out


@pytest.mark.e2e
def test_a_killed_task_goes_on_where_it_was(crew):
    crew.task()
    crew.hire(reviewer=[], coder=[BAD, hangs() | {"write": {"work.txt": "half\n"}}, GOOD])
    with crew.start() as running:
        wait_for_start(crew, 2)
        running.send(signal.SIGKILL)
        running.end()
    assert crew.status_of() != "completed"
    ended = crew.ralph("resume")
    assert ended.code == 0, ended.err
    assert "proven done after 3 iterations" in ended.err
    assert len(runs(crew, "task")) == 1
    assert len(runs(crew, "stage")) == 2
    coder = min(runs(crew, "stage"), key=lambda run: run["startedAt"])
    shown = crew.json("show", coder["id"])
    assert [(each["number"], each["attempt"]) for each in shown["iterations"]] == [(1, 1), (2, 1), (2, 2)]
    assert "Verification failed" in crew.prompts("coder")[2]


@pytest.mark.e2e
def test_a_killed_judge_is_asked_again(crew):
    crew.task(reviewer=None)
    crew.hire(coder=[GOOD], reviewer=[promise("REVIEW_PASSED")], judge=[hangs(), judges(it_is_good=True)])
    with crew.start() as running:
        wait_for_start(crew, 1, "judge")
        running.send(signal.SIGKILL)
        running.end()
    wait_until(lambda: not is_alive(crew.agents["judge"].starts[0].pid), "the judge lives on")
    assert crew.ralph("resume").code == 0
    assert len(crew.prompts("reviewer")) == 1


@pytest.mark.e2e
def test_a_stage_is_resumed_with_its_task(crew):
    crew.task()
    crew.hire(coder=[hangs(), GOOD])
    with crew.start() as running:
        wait_for_start(crew, 1)
        running.send(signal.SIGKILL)
        running.end()
    (stage,) = runs(crew, "stage")
    assert crew.ralph("resume", stage["id"]).code == 0
    assert crew.status_of() == "completed"


@pytest.mark.e2e
def test_cancelling_any_part_stops_the_task_with_all_that_it_started(crew):
    crew.task()
    crew.hire(coder=[SURVIVOR | hangs()])
    with crew.start() as running:
        wait_for_start(crew, 1)
        wait_until((crew.repo.path / ".ralph/worktrees/T-1/survivor").exists, "the survivor never came")
        below = running.descendants
        (stage,) = runs(crew, "stage")
        cancelled = crew.ralph("cancel", stage["id"])
        assert cancelled.code == 0, cancelled.err
        assert running.end().code == 130
    assert not any(each.is_running() for each in below)
    assert crew.status_of() == "pending"
    assert {(run["status"], run["verdict"]) for run in crew.json("runs")} == {("ended", "cancelled")}


def test_the_first_signal_lets_the_agent_finish(crew):
    crew.task()
    crew.hire(coder=[{**GO, **GOOD}])
    with crew.start() as running:
        wait_for_start(crew, 1)
        running.send(signal.SIGINT)
        wait_until(lambda: "shutting down" in running.err, "the signal was not heard")
        crew.repo.write(".ralph/worktrees/T-1/go", "")
        assert running.end().code == 130
    assert crew.ralph("resume").code == 0


def test_status_shows_role_iteration_and_last_reason(crew):
    crew.task()
    crew.hire(coder=[BAD, hangs()])
    with crew.start() as running:
        wait_for_start(crew, 2)
        text = crew.ralph("status", "--tree").out
        running.send(signal.SIGKILL)
    assert "stage T-1 coder · iteration 2/4" in text
    assert "last: grep -q good work.txt: exit code 1" in text


def test_a_task_that_runs_is_not_run_again_nor_deleted(crew):
    crew.task()
    crew.hire(coder=[hangs()])
    with crew.start() as running:
        wait_for_start(crew, 1)
        refused = crew.run()
        assert (refused.code, f"(pid {running.pid})" in refused.err) == (2, True)
        assert crew.ralph("task", "delete", "T-1", "--yes").code == 2
        running.send(signal.SIGKILL)


@pytest.mark.e2e
def test_the_work_of_a_failed_run_is_kept_for_the_next_one(crew):
    crew.task()
    crew.hire(coder=[promise("MADE", {"half.txt": "1\n"})])
    assert crew.run().code == 1
    crew.hire(coder=[GOOD])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "with the work of an earlier run" in ended.err
    assert crew.on_branch("half.txt") == "1\n"


@pytest.mark.e2e
def test_a_fresh_run_begins_anew_and_loses_nothing(crew):
    crew.task()
    crew.hire(coder=[promise("MADE", {"half.txt": "1\n"})])
    assert crew.run().code == 1
    crew.hire(coder=[GOOD])
    assert crew.run("--fresh").code == 0
    assert "half.txt" not in crew.git("ls-tree", "--name-only", "ralph/s").split()
    assert "half.txt" in crew.git("ls-tree", "--name-only", "refs/ralph/discarded/T-1/1").split()


@pytest.mark.e2e
def test_a_completed_task_is_run_again_only_on_demand(crew):
    crew.task()
    crew.hire(coder=[GOOD])
    assert crew.run().code == 0
    refused = crew.run()
    assert (refused.code, "is completed" in refused.err) == (2, True)
    assert crew.run("--again").code == 0


def test_a_worktree_gets_what_git_does_not_know_and_its_init_command(crew):
    crew.repo.write(".env", "KEY=1\n")
    crew.task(coder={"promise": "MADE", "verification_config": {"command": "grep KEY=1 .env && grep ready made"}})
    crew.hire({"worktree": {"copy": [".env"], "init": "echo ready > made"}}, coder=[GOOD])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "copied .env; git does not ignore .env: an agent could commit it" in ended.err
    assert ".env" not in crew.git("ls-tree", "--name-only", "ralph/s").split()


@pytest.mark.e2e
def test_the_init_command_runs_once_in_a_worktree(crew):
    init = "echo x >> ../../../inits"
    crew.task()
    crew.hire({"worktree": {"init": init}}, coder=[BAD])
    assert crew.run().code == 1
    crew.hire({"worktree": {"init": init}}, coder=[GOOD])
    assert crew.run().code == 0
    # Once for the task, and once in each of the two processes for the worktree of the checks.
    assert (crew.repo.path / "inits").read_text() == "x\n" * 3


def test_an_init_command_that_fails_ends_the_task(crew):
    crew.task()
    crew.hire({"worktree": {"init": "echo no registry; exit 4"}}, coder=[GOOD])
    ended = crew.run()
    assert ended.code == 9
    assert "the worktree could not be prepared: exit code 4" in ended.err
    assert crew.prompts("coder") == []


AS_IF_THE_BASE_HAD_IT = """
echo bad > work.txt; echo true > test.sh; git add test.sh
fake=$(git commit-tree -m tests $(git write-tree)); git replace $(git rev-parse HEAD) $fake
"""


@pytest.mark.e2e
def test_a_base_that_git_was_told_to_read_as_another_one_judges_as_it_was(crew):
    crew.repo.write("test.sh", "grep -q good work.txt\n")
    crew.repo.commit_all("tests")
    crew.task(coder={"promise": "MADE", "verification_config": {"command": "sh test.sh"}, "max_iterations": 1})
    crew.hire(coder=[{"run": AS_IF_THE_BASE_HAD_IT, "final": "<promise>MADE</promise>"}])
    ended = crew.run()
    assert ended.code == 1, ended.err
    assert "the check fails with the base's own test.sh" in ended.err


def test_the_budget_holds_for_all_stages_together(crew):
    crew.task()
    crew.hire(
        {"budget": {"usd": 0.5}},
        coder=[{**GOOD, "cost": 0.3}],
        tester=[],
        reviewer=[{**promise("REVIEWED"), "cost": 0.3}],
    )
    ended = crew.run()
    assert ended.code == 4, ended.err
    assert len(crew.prompts("tester")) == 0


def test_a_stage_has_only_what_the_stages_before_it_left_of_the_budget(crew):
    crew.task()
    crew.hire(
        {"budget": {"usd": 0.5}},
        coder=[{**GOOD, "cost": 0.3}],
        reviewer=[{"final": "Not yet.", "cost": 0.3}, {**promise("REVIEWED"), "cost": 0.1}],
    )
    ended = crew.run()
    assert ended.code == 4, ended.err
    assert [len(crew.prompts(role)) for role in ("coder", "reviewer")] == [1, 1]


@pytest.mark.e2e
def test_it_goes_on_in_the_background(crew):
    crew.task()
    crew.hire(coder=[{**GO, **GOOD}])
    started = crew.run("--detach")
    assert started.code == 0, started.err
    run_id, pid = re.match(r"ralph run (\w+) runs in the background \(pid (\d+)\)", started.out).groups()
    wait_for_start(crew, 1)
    assert crew.json("status", run_id)[0]["status"] == "running"
    crew.repo.write(".ralph/worktrees/T-1/go", "")
    wait_until(lambda: not is_alive(int(pid)), "it never ended")
    assert crew.json("status", run_id)[0]["verdict"] == "verified"
    assert crew.status_of() == "completed"


def test_what_keeps_a_detached_run_from_beginning_is_said(crew):
    crew.task()
    crew.hire(coder=[hangs()])
    with crew.start() as running:
        wait_for_start(crew, 1)
        refused = crew.run("--detach")
        running.send(signal.SIGKILL)
    assert refused.code == 2
    assert "another ralph loop runs" in refused.err


def test_a_dry_run_shows_stages_and_prompt_and_runs_nothing(crew):
    crew.task()
    crew.hire(coder=[GOOD], reviewer=[])
    ended = crew.run("--dry-run")
    assert ended.code == 0, ended.err
    assert "reviewer: " in ended.out
    assert "<promise>MADE</promise>" in ended.out
    assert crew.json("runs") == []
    assert not crew.exists(".ralph/worktrees")


@pytest.mark.e2e
def test_a_follow_up_takes_over_what_was_left(crew):
    check = {"check_for": "{{acceptance_criteria}}"}
    crew.task(
        qa={
            "promise": "QA_PASSED",
            "verification_method": "semantic",
            "verification_config": check,
            "max_iterations": 1,
        }
    )
    crew.hire(qa=[], coder=[GOOD], judge=[judges(it_is_good=False)])
    assert crew.run().code == 1
    assert crew.ralph("task", "followup", "T-1").code == 0
    task = crew.json("task", "show", "T-1-2")
    assert [each["criterion"] for each in task["acceptanceCriteria"]] == ["it is good"]
    assert "not done after 1 iteration" in task["description"]


@pytest.mark.e2e
def test_a_log_of_a_task_holds_what_all_its_agents_said(crew):
    crew.task()
    crew.hire(coder=[{"say": "I code.", **GOOD}], qa=[{"say": "I look.", **promise("QA_PASSED")}])
    assert crew.run("--quiet").code == 0
    log = crew.ralph("logs").out
    assert log.index("I code.") < log.index("I look.")


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda crew: crew.repo.write(".ralph/worktrees/T-1", "mine"), "where the task's worktree belongs"),
        (lambda crew: crew.repo.write(".ralph/settings.json", json.dumps({"pipeline": ["coder", "poet"]})), "'poet'"),
        (lambda crew: crew.repo.write(".ralph/settings.json", json.dumps({"pipeline": []})), "pipeline is empty"),
        (lambda crew: crew.git("checkout", "-q", "--orphan", "new"), "no commit"),
    ],
    ids=["the worktree's path is taken", "a role that is not known", "no role", "a repository without a commit"],
)
def test_what_cannot_be_run_is_one_line(crew, prepare, words):
    crew.task()
    crew.hire(coder=[GOOD])
    prepare(crew)
    ended = crew.run("--quiet")
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1
    assert words in ended.err
    assert crew.prompts("coder") == []


def test_a_task_that_does_not_exist_is_one_line(crew):
    ended = crew.run(name="T-9")
    assert ended.code == 2
    assert ended.err == "ralph: there is no task 'T-9' in this project. See the list: ralph task list\n"


def test_a_missing_agent_ends_the_task_and_can_be_mended(crew):
    crew.task()
    crew.hire({"roles": {"reviewer": {"agent": "no-such-agent"}}}, coder=[GOOD], reviewer=[])
    ended = crew.run()
    assert ended.code == 7
    assert "no-such-agent" in ended.err
    assert crew.status_of() != "completed"
