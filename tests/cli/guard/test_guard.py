"""`ralph guard`: what an agent that wants to stop is told, and when it is let go."""

import json
import signal
import subprocess

import pytest

from guarded import CHEAT, CHECK, FILES, RIGHT, Guarded, recorded
from loops import is_alive, wait_until
from ralph.app.runs.starting import Raised, go_on
from ralph.model.errors import ConfigError
from ralph.store.open import open_store
from ralph.store.runs import list_runs
from ralph.testing import TempRepo, run_ralph, temp_repo
from ralph.testing.program import ralph_program

NOISE = b'{"session_id": "\\u001b[2J", "hook_event_name": "Stop"}'


@pytest.fixture
def guarded(tmp_path, monkeypatch, capsys):
    return Guarded(temp_repo(tmp_path, FILES), monkeypatch, capsys)


def runs():
    """How each ended, the oldest first."""
    with open_store() as store:
        return [run.verdict for run in reversed(list_runs(store))]


def test_from_a_refusal_to_a_proven_stop_and_silence_after_it(guarded):
    assert guarded.begins().is_quiet
    refused = guarded.stops()
    assert "- sh check.sh: exit code 1" in refused.reason
    assert "ralph show" in refused.reason
    guarded.write(RIGHT)
    assert guarded.stops(again=True).is_quiet
    assert runs() == ["failed", "verified"]
    assert guarded.stops().is_quiet
    guarded.repo.commit_all("the work")
    assert guarded.stops().is_quiet
    assert runs() == ["failed", "verified"], "the files that were proven are not checked again"
    guarded.write({"work.txt": "wrong again\n"})
    assert guarded.stops().reason


@pytest.mark.parametrize("agent", ["claude-session", "codex-session"])
def test_what_the_real_agents_tell_their_hooks_is_understood(guarded, agent):
    began, first, second = recorded(agent, "SessionStart", "Stop", cwd=guarded.repo.path)
    assert guarded.call_with(began).is_quiet
    assert CHECK in guarded.call_with(first).reason
    guarded.write(RIGHT)
    assert guarded.call_with(second).is_quiet


def test_after_the_limit_the_agent_is_let_go_and_the_person_told(guarded):
    guarded.settings(guard={"maxBlocks": 2})
    first, *others = recorded("claude-stop-refused", "Stop", cwd=guarded.repo.path)[:5]
    assert guarded.call_with(first).reason
    assert guarded.call_with(others[0]).reason
    let_go = guarded.call_with(others[1])
    assert let_go.reason is None
    assert "ralph guard: the agent may stop after 2 refusals in a row, but its work is NOT proven" in let_go.err
    assert "NOT proven: sh check.sh: exit code 1" in json.loads(let_go.out)["systemMessage"]
    assert guarded.call_with(others[2]).reason, "whoever works on all the same begins a new row"


def test_a_new_turn_begins_a_new_row(guarded):
    guarded.settings(guard={"maxBlocks": 1})
    for _ in range(3):
        assert guarded.stops().reason
    assert guarded.stops(again=True).reason is None


def test_work_that_was_proven_before_ends_a_row_too(guarded):
    guarded.settings(guard={"maxBlocks": 1})
    guarded.begins()
    guarded.write(RIGHT)
    assert guarded.stops().is_quiet
    for _ in range(2):
        guarded.write({"work.txt": "wrong\n"})
        assert guarded.stops(again=True).reason
        guarded.write(RIGHT)
        assert guarded.stops(again=True).is_quiet


def test_sessions_are_counted_apart(guarded):
    guarded.settings(guard={"maxBlocks": 1})
    assert guarded.stops(session="one").reason
    assert guarded.stops(session="two", again=True).reason
    assert guarded.stops(session="one", again=True).reason is None


def test_whoever_changes_the_judge_is_told_to_put_it_back(guarded):
    guarded.begins()
    guarded.write(CHEAT)
    refused = guarded.stops().reason
    assert "check.sh" in refused
    assert "Put back the tests" in refused
    guarded.repo.commit_all("weaker")
    guarded.write({"notes.txt": "harmless\n"})
    guarded.repo.commit_all("on top of it")
    guarded.write({"notes.txt": "more\n"})
    assert "check.sh" in guarded.stops(again=True).reason, "commits do not hide what the session did"
    assert runs() == ["tampered", "tampered"]


@pytest.mark.parametrize("rewrites", [("commit", "--amend"), ("checkout", "--orphan", "new"), ("checkout", "--detach")])
def test_nor_does_another_history(guarded, rewrites):
    guarded.repo.git("commit", "--quiet", "--allow-empty", "-m", "second")
    guarded.begins()
    guarded.write(CHEAT)
    guarded.repo.git(*rewrites, *(["--all", "--no-edit"] if "--amend" in rewrites else []))
    guarded.repo.git("commit", "--quiet", "--allow-empty", "--all", "-m", "done")
    assert "check.sh" in guarded.stops().reason


def test_the_settings_of_the_beginning_count(guarded):
    guarded.begins()
    guarded.settings(guardrails=[])
    refused = guarded.stops().reason
    assert CHECK in refused
    assert "were changed since this session began" in refused
    (guarded.repo.home / ".ralph/config.yaml").write_text("guardrails: [")
    assert CHECK in guarded.stops(again=True).reason


def test_a_session_whose_beginning_nobody_saw_is_compared_with_the_branch_point(guarded):
    guarded.repo.git("checkout", "--quiet", "-b", "work")
    guarded.write(CHEAT)
    guarded.repo.commit_all("weaker")
    guarded.repo.git("commit", "--quiet", "--allow-empty", "-m", "more")
    assert "check.sh" in guarded.stops().reason


@pytest.mark.parametrize("is_committed", [False, True])
def test_on_main_it_is_compared_with_what_was_there_before(guarded, is_committed):
    guarded.write(CHEAT)
    if is_committed:
        guarded.repo.commit_all("weaker")
    assert "check.sh" in guarded.stops().reason


def test_nothing_was_changed_and_all_is_well(guarded):
    guarded.write(RIGHT)
    guarded.repo.commit_all("right already")
    guarded.begins()
    assert guarded.stops().is_quiet
    guarded.begins(session="the next one")
    assert guarded.stops(session="the next one").is_quiet
    assert runs() == ["verified"]


def test_a_warning_reaches_the_person_and_holds_nobody(guarded):
    guarded.settings(tamper="warn")
    guarded.begins()
    guarded.write({**CHEAT, **RIGHT})
    said = guarded.stops()
    assert said.reason is None
    assert "the checks pass, but look at this" in json.loads(said.out)["systemMessage"]
    assert guarded.stops().is_quiet, "it is told once"


def test_a_check_that_needs_what_git_does_not_hold_counts_where_it_can_pass(guarded):
    guarded.settings(guardrails=[{"command": "test -e installed/tool"}])
    guarded.repo.write(".gitignore", "installed/\n")
    guarded.repo.commit_all("ignore")
    guarded.begins()
    assert guarded.stops().reason
    guarded.repo.write("installed/tool", "")
    said = guarded.stops(again=True)
    assert said.reason is None
    assert "passed in your tree only" in json.loads(said.out)["systemMessage"]
    assert runs() == ["failed", "verified"]


def test_an_optional_step_never_holds_an_agent(guarded):
    steps = [{"name": "lint", "command": "false", "required": False}]
    guarded.settings(guardrails=[], verification={"steps": steps})
    guarded.begins()
    guarded.write(RIGHT)
    said = guarded.stops()
    assert said.reason is None
    assert "lint: exit code 1" in json.loads(said.out)["systemMessage"]


def test_a_hint_goes_with_the_refusal(guarded):
    guarded.settings(guardrails=[{"command": CHECK, "hint": "The word is right."}])
    assert "Hint for sh check.sh: The word is right." in guarded.stops().reason


def test_a_long_output_is_cut(guarded):
    talks = "head -c 9000 /dev/zero | tr '\\0' x; exit 1"
    guarded.settings(guardrails=[{"command": talks}, {"command": f"{talks} # again"}], outputTruncateChars=9000)
    reason = guarded.stops().reason
    assert len(reason) < 8200
    assert reason.endswith(f"ralph show {reason.split()[-1]}")


def test_ralphs_own_loops_prove_the_work_themselves(guarded, monkeypatch):
    monkeypatch.setenv("RALPH_RUN_ID", "0123abcd")
    assert guarded.stops().is_quiet
    assert guarded.call_with(b"{broken").is_quiet
    assert not (guarded.repo.home / ".ralph/ralph.db").exists()


def test_an_agent_that_may_only_plan_has_nothing_to_prove_yet(guarded):
    guarded.begins(permission_mode="plan")
    guarded.write(CHEAT)
    guarded.repo.commit_all("weaker")
    guarded.repo.git("commit", "--quiet", "--allow-empty", "-m", "more")
    assert guarded.stops(permission_mode="plan").is_quiet
    assert "check.sh" in guarded.stops().reason, "its session has begun all the same"


def test_a_reason_in_any_language_is_plain_json(guarded):
    guarded.settings(guardrails=[{"command": "echo 'größer ✗'; exit 1"}])
    refused = guarded.stops()
    assert refused.out.isascii()
    assert "größer ✗" in refused.reason


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'{"session_id": 3}', b'{"session_id": "", "hook_event_name": "Stop"}', NOISE, b"\xff\xfe"],
)
def test_what_cannot_be_read_lets_the_agent_go(guarded, data):
    said = guarded.call_with(data)
    assert said.out == ""
    assert said.err.startswith("ralph guard: nothing was checked: standard input is not what an agent tells its hooks")
    assert said.err.count("\n") == 1


def test_another_event_is_none_of_its_business(guarded):
    said = guarded.call(hook_event_name="SubagentStop", session_id="s")
    assert said.out == ""
    assert "'SubagentStop' is not an event that the guard handles" in said.err


def test_without_a_check_the_agent_is_let_go(guarded):
    guarded.settings(guardrails=[])
    for said in (guarded.begins(), guarded.stops()):
        assert said.out == ""
        assert "no check is configured, so nothing is checked when an agent stops" in said.err
    guarded.settings()
    assert guarded.stops().reason, "what a person adds later counts"


def test_without_a_repository_the_agent_is_let_go(tmp_path, monkeypatch, capsys):
    repo = TempRepo(tmp_path)
    repo.path.mkdir()
    repo.home.mkdir()
    guarded = Guarded(repo, monkeypatch, capsys)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    said = guarded.stops()
    assert said.out == ""
    assert "is not a git repository" in said.err


def test_settings_that_cannot_be_read_let_the_agent_go(guarded):
    (guarded.repo.home / ".ralph/config.yaml").write_text("guardrails: [")
    said = guarded.stops()
    assert said.out == ""
    assert said.err.startswith("ralph guard: nothing was checked: ")
    assert said.err.count("\n") == 1


def test_a_database_that_cannot_be_opened_lets_the_agent_go(guarded):
    (guarded.repo.home / ".ralph/ralph.db").mkdir()
    said = guarded.stops()
    assert said.out == ""
    assert said.err.startswith("ralph guard: nothing was checked: ")


def test_a_proof_that_cannot_be_made_lets_the_agent_go_unproven(guarded):
    guarded.settings(worktree={"init": "false"})
    guarded.begins()
    guarded.write(RIGHT)
    said = guarded.stops()
    assert said.reason is None
    assert "NOT proven: the worktree for checks could not be prepared" in said.err


def test_a_repository_that_is_gone_is_told(guarded):
    guarded.begins()
    (guarded.repo.path / ".git").rename(guarded.repo.home / "git")
    said = guarded.stops()
    assert said.reason is None
    assert "NOT proven: " in said.err
    assert "is not a git repository" in json.loads(said.out)["systemMessage"]


def test_an_agent_that_has_gone_elsewhere_is_judged_where_it_began(guarded, tmp_path):
    guarded.begins()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert guarded.stops(cwd=str(elsewhere)).reason
    assert guarded.stops(cwd=str(tmp_path / "gone")).reason


def test_an_agent_in_another_worktree_is_judged_there(guarded):
    guarded.begins()
    guarded.repo.git("worktree", "add", "--quiet", "-b", "other", ".claude/worktrees/other")
    there = guarded.repo.path / ".claude/worktrees/other"
    (there / "work.txt").write_text("right\n")
    assert guarded.stops(cwd=str(there)).is_quiet
    assert guarded.stops().reason


def test_the_project_is_found_from_below(guarded, monkeypatch):
    below = guarded.repo.path / "src/deep"
    below.mkdir(parents=True)
    assert CHECK in guarded.stops(cwd=str(below)).reason
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(guarded.repo.path))
    assert CHECK in guarded.stops(session="two", cwd="/").reason


def test_resume_without_a_name_does_not_mean_it_and_with_one_looks_again(guarded):
    guarded.stops()
    with open_store() as store:
        [run] = list_runs(store)
        with pytest.raises(ConfigError, match="no run of this project can continue"):
            go_on(store, guarded.repo.path, None, Raised())
    guarded.write(RIGHT)
    assert run_ralph(guarded.repo, "resume", run.id).returncode == 0


def test_the_users_files_and_branches_are_left_alone(guarded):
    guarded.begins()
    guarded.write(RIGHT)
    before = guarded.repo.git("status", "--porcelain", "--branch"), guarded.repo.git("rev-parse", "HEAD")
    assert guarded.stops().is_quiet
    assert (guarded.repo.git("status", "--porcelain", "--branch"), guarded.repo.git("rev-parse", "HEAD")) == before


@pytest.mark.e2e
@pytest.mark.parametrize("data", ["", "{", '{"session_id": "s", "hook_event_name": "Stop", "cwd": "/nowhere"}'])
def test_no_error_has_an_exit_code_that_would_refuse_the_stop(guarded, data):
    ended = run_ralph(guarded.repo, "guard", input=data)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr.startswith("ralph guard: nothing was checked: ")


@pytest.mark.e2e
def test_an_agent_that_ends_its_hook_leaves_nothing_running(guarded):
    guarded.settings(guardrails=[{"command": "echo $$ > pid.new; mv pid.new pid; sleep 3600"}])
    with subprocess.Popen(
        [ralph_program(), "guard"], env=guarded.repo.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as hook:
        hook.stdin.write(json.dumps({"session_id": "s", "hook_event_name": "Stop", "cwd": str(guarded.repo.path)}))
        hook.stdin.close()
        wait_until((guarded.repo.path / "pid").exists, "the check did not begin")
        hook.send_signal(signal.SIGTERM)
        assert "NOT proven: stopped at once by SIGTERM" in json.loads(hook.stdout.read())["systemMessage"]
    assert hook.returncode == 0
    wait_until(lambda: not is_alive(int(guarded.repo.read("pid"))), "the check goes on")
