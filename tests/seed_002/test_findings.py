"""What people ran into with tasks, by name."""

import json
import sqlite3

import pytest

from ralph.testing import says
from task_crew import promise, rejects

GOOD = {"work.txt": "good\n"}


def show(crew, *args, name="T-1"):
    return crew.ralph("task", "show", name, *args).out


def test_task_show_of_a_completed_task_never_says_not_verified_yet(crew):
    crew.hire(coder=[promise("MADE", GOOD)])
    crew.task(acceptance_criteria=["it is good", "it is fast"])
    assert crew.run().code == 0
    shown = show(crew)
    assert " completed " in shown
    assert "not verified yet" not in shown
    assert "[-] it is fast\n      no check covers it" in shown


def test_followup_of_a_verified_task_says_that_nothing_is_left_over(crew):
    crew.hire(coder=[promise("MADE", GOOD)])
    crew.task()
    assert crew.run().code == 0
    ended = crew.ralph("task", "followup", "T-1")
    assert ended.code == 2
    assert "nothing is left over" in ended.err
    assert crew.ralph("task", "followup", "T-1", "--acceptance", "it is fast").code == 0


def test_every_later_prompt_says_why_the_reviewer_sent_the_task_back(crew):
    crew.hire(
        coder=[promise("MADE", GOOD), says("hm"), promise("MADE"), says("hm"), promise("MADE", {"b.txt": "b"})],
        reviewer=[rejects("the name is wrong"), rejects("the test is missing"), promise("REVIEWED")],
    )
    crew.task(
        coder={"promise": "MADE", "verification_config": {"command": "grep -q good work.txt"}, "max_iterations": 9}
    )
    assert crew.run().code == 0
    prompts = crew.agents["coder"].prompts
    assert ["the name is wrong" in prompt for prompt in prompts] == [False, True, True, True, True]
    assert ["the test is missing" in prompt for prompt in prompts] == [False, False, False, True, True]


def test_acceptance_criteria_inside_a_longer_text_are_filled_in(crew):
    answer = {"criteria": [{"criterion": "All of these hold: it is good", "met": True, "reason": "seen"}]}
    crew.hire(coder=[promise("MADE", GOOD)], judge=[{"final": json.dumps(answer)}])
    check = {"check_for": ["All of these hold: {{acceptance_criteria}}"]}
    crew.task(coder={"promise": "MADE", "verification_method": "semantic", "verification_config": check})
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "{{acceptance_criteria}}" not in crew.agents["judge"].prompts[0]
    assert "All of these hold: it is good" in crew.agents["judge"].prompts[0]


def test_default_verification_and_default_max_iterations_hold_for_a_role_that_names_none(crew):
    crew.hire(
        {
            "roles": {"docs": {"promise": "WRITTEN"}},
            "ralph": {"default_max_iterations": 3, "default_verification": "semantic"},
        },
        coder=[promise("MADE", GOOD)],
    )
    crew.task(docs={"promise": "WRITTEN"})
    docs = next(role for role in json.loads(show(crew, "--json"))["roles"] if role["role"] == "docs")
    assert docs["maxIterations"] == 3
    assert docs["verificationMethod"] == "semantic"
    assert docs["verificationConfig"] == {"check_for": "{{acceptance_criteria}}"}


def test_status_iteration_and_dates_survive_export_and_import(crew, tmp_path):
    crew.hire(coder=[promise("MADE", GOOD)])
    crew.task()
    assert crew.run().code == 0
    before = json.loads(show(crew, "--json"))
    text = crew.ralph("task", "export", "T-1").out
    (crew.repo.path / "task.yaml").write_text(text)
    assert crew.ralph("task", "delete", "T-1", "--yes").code == 0
    ended = crew.ralph("task", "import", "task.yaml")
    assert ended.code == 0, ended.err
    after = json.loads(show(crew, "--json"))
    assert before["status"] == "completed"
    for name in ("status", "iteration", "createdAt", "updatedAt"):
        assert after[name] == pytest.approx(before[name]) if name.endswith("At") else after[name] == before[name]


def test_import_replace_says_that_a_task_moves_to_another_spec(crew):
    crew.task()
    crew.task(name="T-2")
    text = crew.ralph("task", "export", "T-1").out.replace("spec_id: s\n", "spec_id: other\n")
    (crew.repo.path / "task.yaml").write_text(text)
    ended = crew.ralph("task", "import", "--replace", "task.yaml")
    assert ended.code == 0
    assert "ralph: task T-1 moves from spec s to other." in ended.err
    assert "moves" not in crew.ralph("task", "import", "--replace", "task.yaml").err


def test_a_failed_task_does_not_run_its_verified_stages_again(crew):
    crew.hire(coder=[promise("MADE", GOOD)], reviewer=[says("no"), says("no"), says("no"), promise("REVIEWED")])
    crew.task()
    assert crew.run().code == 1
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert len(crew.agents["coder"].prompts) == 1
    assert "not run again" in ended.err + ended.out


def test_verified_stages_run_again_if_the_tree_they_verified_has_changed(crew):
    no = {"write": {"other.txt": "x"}, "final": "no"}
    crew.hire(coder=[promise("MADE", GOOD), promise("MADE", GOOD)], reviewer=[no, no, no, promise("REVIEWED")])
    crew.task()
    assert crew.run().code == 1
    assert crew.run().code == 0
    assert len(crew.agents["coder"].prompts) == 2


def test_nothing_to_deliver_is_not_followed_by_the_work_is_on_the_branch(crew):
    crew.repo.write("work.txt", "good\n")
    crew.repo.git("add", "-A")
    crew.repo.git("commit", "-qm", "good already")
    crew.hire(coder=[promise("MADE")])
    crew.task()
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "nothing to deliver" in ended.err + ended.out
    assert "The work is on the branch" not in ended.err + ended.out


def test_worktree_copy_of_a_file_that_git_ignores_works(crew):
    crew.repo.write(".gitignore", ".ralph\n.env\n")
    crew.repo.write(".env", "A=1\n")
    crew.repo.git("add", ".gitignore")
    crew.repo.git("commit", "-qm", "ignore .env")
    crew.hire({"worktree": {"copy": [".env"]}}, coder=[promise("MADE", GOOD) | {"run": "cp .env seen.txt"}])
    crew.task(coder={"promise": "MADE", "verification_config": {"command": "grep -q good work.txt && test -f .env"}})
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert crew.repo.git("ls-tree", "-r", "--name-only", "ralph/s").split() == [".gitignore", "seen.txt", "work.txt"]


def test_the_record_of_a_judges_answer_names_the_sandbox(crew):
    crew.hire(coder=[promise("MADE", GOOD)])
    crew.task(coder={"promise": "MADE", "verification_method": "semantic"})
    assert crew.run().code == 0
    with sqlite3.connect(crew.repo.home / ".ralph/ralph.db") as database:
        asked = "SELECT body FROM journal WHERE what = 'ended' AND key LIKE 'ask-model/%/judge%'"
        [(body,)] = database.execute(asked).fetchall()
    assert json.loads(body)["sandbox"].startswith("unsandboxed")
