"""`ralph verify`: the checks on a commit, judged as a claim is, without an agent."""

import json

import pytest

from proven import CHECK, FILES, RIGHT, Proven
from ralph.testing import run_ralph, temp_repo

pytestmark = pytest.mark.e2e
CHEAT = {"test_calc.py": FILES["test_calc.py"].replace("== 3", "== -1")}


@pytest.fixture
def repo(tmp_path):
    repo = temp_repo(tmp_path, FILES)
    settings(repo, guardrails=[{"command": CHECK}])
    return repo


def settings(repo, **given):
    (repo.home / ".ralph").mkdir(exist_ok=True)
    (repo.home / ".ralph/config.yaml").write_text(json.dumps(given))


def commit(repo, files, message="work"):
    for name, text in files.items():
        repo.write(name, text)
    repo.commit_all(message)


def test_without_a_check_it_says_what_to_set(repo):
    settings(repo)
    done = run_ralph(repo, "verify")
    assert done.returncode == 2
    assert 'no check is configured, so there is nothing to run. Set one under "guardrails"' in done.stderr


def test_a_fix_holds_and_the_users_files_are_left_alone(repo):
    commit(repo, RIGHT)
    repo.write("calc.py", "broken(")
    done = run_ralph(repo, "verify", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["verdict"], told["proof"], told["doubts"]) == ("verified", "checked", [])
    assert (told["commit"], told["base"]) == tuple(repo.git("rev-parse", "HEAD", "HEAD~1").split())
    assert [trial["trial"] for trial in told["checks"][0]["trials"]] == ["commit", "base", "canary"]
    assert repo.read("calc.py") == "broken("
    assert not list((repo.path / ".ralph").rglob("*lock"))


def test_without_an_earlier_commit_that_is_the_only_doubt(repo):
    settings(repo, guardrails=[{"command": "true"}])
    done = run_ralph(repo, "verify")
    assert done.returncode == 0, done.stderr
    assert "passes its checks after 1 look: there is no earlier commit, so only the checks themselves were tried" in (
        done.stderr
    )
    assert run_ralph(repo, "show").stdout.count("  ! ") == 1


@pytest.mark.parametrize("command", ["runs", "status"])
def test_a_list_does_not_count_the_looks_of_a_run_without_agents(repo, command):
    assert run_ralph(repo, "verify").returncode == 9
    assert "0 looks" not in run_ralph(repo, command).stdout


def test_what_failed_is_tried_again_the_next_time(repo):
    settings(repo, guardrails=[{"command": 'test -e "$HOME/ready"'}])
    commit(repo, RIGHT)
    assert run_ralph(repo, "verify").returncode == 9
    (repo.home / "ready").touch()
    again = run_ralph(repo, "verify")
    assert again.returncode == 0, again.stderr


def test_a_test_that_fails_is_named(repo):
    done = run_ralph(repo, "verify")
    assert done.returncode == 9
    assert "test_calc.py::test_add (on a clean checkout of the work)" in done.stderr
    # A commit stays as it is: to go on with the run would not find the fix.
    assert "Fix it and commit the fix, then verify the new commit. To check this one again: ralph resume" in done.stderr


def test_a_change_that_touches_what_judges_it_ends_with_6(repo):
    commit(repo, CHEAT)
    done = run_ralph(repo, "verify")
    assert done.returncode == 6, done.stderr
    assert "failed at the base, and still fails with the base's own tests: test_calc.py::test_add" in done.stderr
    assert "ralph resume" not in done.stderr


def test_what_the_settings_let_change_is_the_changes_own(repo):
    commit(repo, CHEAT)
    settings(repo, guardrails=[{"command": CHECK}], mayChange=["test_calc.py"])
    assert run_ralph(repo, "verify").returncode == 0


def test_the_base_is_where_the_branch_left_main(repo):
    repo.git("checkout", "--quiet", "-b", "work")
    commit(repo, CHEAT, "a cheat")
    commit(repo, {"notes.txt": "harmless\n"}, "on top of it")
    done = run_ralph(repo, "verify", "--json")
    assert json.loads(done.stdout)["base"] == repo.git("rev-parse", "main").strip()
    assert done.returncode == 6
    assert run_ralph(repo, "verify", "--base", "HEAD~1").returncode == 0


def test_a_first_commit_has_nothing_to_compare_with(tmp_path):
    repo = temp_repo(tmp_path, {**FILES, **RIGHT})
    settings(repo, guardrails=[{"command": CHECK}])
    done = run_ralph(repo, "verify", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["base"], told["proof"]) == (0, "", "warned")
    assert told["doubts"][0].startswith("there is no earlier commit")


@pytest.mark.parametrize("args", [("nothing",), ("--base", "nothing"), ("HEAD", "--base", "HEAD")])
def test_what_cannot_be_meant_is_refused(repo, args):
    done = run_ralph(repo, "verify", *args)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_a_run_of_it_is_shown_like_any_other_and_gone_on_with(repo):
    commit(repo, {"notes.txt": "x\n"})
    assert run_ralph(repo, "verify").returncode == 9
    [run] = json.loads(run_ralph(repo, "runs", "--json").stdout)
    assert (run["recipe"], run["verdict"]) == ("verify", "failed")
    resumed = run_ralph(repo, "resume", run["id"])
    assert resumed.returncode == 9
    assert "trial on a clean checkout" in resumed.stderr


def test_a_task_is_verified_by_the_commands_of_its_stages_on_what_it_delivered(tmp_path):
    proven = Proven(tmp_path)
    assert proven.run().code == 0
    done = proven.ralph("verify", "T-1", "--json", there=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["commit"] == proven.commit
    assert [each["check"] for each in told["checks"]] == [f"coder: {CHECK}"]


def test_a_task_without_work_says_how_to_run_it(tmp_path):
    proven = Proven(tmp_path)
    proven.crew.task()
    done = proven.ralph("verify", "T-1", there=False)
    assert done.returncode == 2
    assert "nothing of it was delivered. Run it: ralph task run T-1" in done.stderr
