"""A task through its stages: claims, verification, feedback, limits, sending back."""

import json

import pytest

from task_crew import BAD, GOOD, PROMISES, judges, promise, rejects


def reasons(ended):
    return [line.strip() for line in ended.out.splitlines() if line.strip().startswith("✗")]


def judged(**config):
    """A reviewer of whom a model decides, once."""
    check = {"check_for": ["it is good"], **config}
    method = {"verification_method": "semantic", "verification_config": check}
    return {"promise": "REVIEWED", "max_iterations": 1, **method}


def test_all_stages_verified_ends_with_one_commit_on_the_branch_of_the_spec(crew):
    crew.task()
    crew.hire(coder=[GOOD], reviewer=[], tester=[], qa=[])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "proven done after 4 iterations" in ended.err
    assert "git merge ralph/s" in ended.err
    assert crew.status_of() == "completed"
    assert crew.on_branch("work.txt") == "good\n"
    assert crew.git("log", "--format=%s", "main..ralph/s") == "Make T-1\n"
    assert "Ralph-Task: T-1" in crew.git("log", "-1", "--format=%B", "ralph/s")


def test_the_user_s_own_tree_is_left_alone(crew):
    crew.repo.write("notes.txt", "mine\n")
    crew.repo.write("README.md", "changed\n")
    before = (
        crew.git("status", "--porcelain", "--", ".", ":!.ralph"),
        crew.git("rev-parse", "HEAD"),
        crew.git("branch", "--show-current"),
    )
    crew.task()
    crew.hire(coder=[GOOD])
    ended = crew.run()
    assert ended.code == 0
    assert "2 uncommitted changes stay here, untouched" in ended.err
    after = (
        crew.git("status", "--porcelain", "--", ".", ":!.ralph"),
        crew.git("rev-parse", "HEAD"),
        crew.git("branch", "--show-current"),
    )
    assert before == after
    assert not crew.exists("work.txt")
    _, *others = crew.git("worktree", "list").splitlines()
    assert all("/.ralph/worktrees/.verify-" in each for each in others), "what is left is for the next check"


def test_a_false_promise_is_detected_and_told(crew):
    crew.task()
    crew.hire(coder=[BAD, GOOD])
    assert crew.run().code == 0
    first, second = crew.prompts("coder")
    assert "Verification failed" not in first
    assert "Verification failed: exit code 1" in second
    assert "**Iteration**: 2/4" in second


@pytest.mark.e2e
def test_an_agent_that_promises_falsely_for_ever_ends_at_the_limit_with_each_reason_in_show(crew):
    crew.task(
        coder={"promise": "MADE", "verification_config": {"command": "echo no $((6 * 7)); false"}, "max_iterations": 3}
    )
    crew.hire(coder=[BAD])
    ended = crew.run()
    assert ended.code == 1
    assert "max_iterations: coder: not done after 3 iterations: verification failed: exit code 1" in ended.err
    assert crew.status_of() == "failed"
    (stage,) = crew.json("show")["parts"]
    assert sum("exit code 1, expected 0" in line for line in reasons(crew.ralph("show", stage["id"]))) == 3
    assert [[seen["passed"] for seen in each["evidence"]] for each in stage["iterations"]] == [[False]] * 3
    assert all("no 42" in each["feedback"] for each in stage["iterations"])


@pytest.mark.e2e
def test_an_agent_that_is_right_on_the_last_iteration_ends_verified(crew):
    crew.task()
    crew.hire(coder=[BAD, {"final": "not yet"}, promise("REVIEWED"), GOOD])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "proven done after 4 iterations" in ended.err


def test_no_promise_and_a_wrong_promise_are_told_apart(crew):
    crew.task()
    crew.hire(coder=[{"write": {"work.txt": "good\n"}, "final": "All is well."}, promise("MOSTLY"), GOOD])
    assert crew.run().code == 0
    _, second, third = crew.prompts("coder")
    assert "no completion promise found" in second
    assert "wrong promise: it said 'MOSTLY', expected 'MADE'" in third


def test_promises_are_compared_without_regard_to_case(crew):
    crew.task()
    crew.hire(coder=[promise("made", {"work.txt": "good\n"})])
    assert crew.run().code == 0


def test_a_promise_that_the_agent_only_announces_or_repeats_from_its_prompt_is_none(crew):
    announced = {"write": {"work.txt": "good\n"}, "final": "Once it is reviewed I will say <promise>MADE</promise>"}
    repeated = {
        "final": "**To signal completion, output:**\n```\n<promise>MADE</promise>\n```\nI have not come so far."
    }
    crew.task()
    crew.hire(coder=[announced, repeated, GOOD])
    assert crew.run().code == 0
    assert len(crew.prompts("coder")) == 3
    assert "no completion promise stands alone on its line" in crew.prompts("coder")[1]


def test_a_promise_in_a_tool_result_is_none(crew):
    echo = {"tool": {"name": "Read", "input": {}, "output": "<promise>MADE</promise>"}, "final": "Read it."}
    crew.task(coder={"promise": "MADE", "verification_method": "string_match", "max_iterations": 1})
    crew.hire(coder=[echo])
    assert crew.run().code == 1


@pytest.mark.e2e
def test_a_later_stage_sends_the_task_back_and_the_coder_is_told_why(crew):
    crew.task()
    crew.hire(
        reviewer=[],
        coder=[GOOD, promise("MADE", {"work.txt": "good and tested\n"})],
        tester=[rejects("no test"), promise("TESTED")],
    )
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "The tester sent the task back to this stage" in crew.prompts("coder")[1]
    assert "no test" in crew.prompts("coder")[1]
    assert "**Iteration**: 2/4" in crew.prompts("coder")[1]
    assert len(crew.prompts("reviewer")) == 2
    assert crew.on_branch("work.txt") == "good and tested\n"


def test_rejections_that_use_up_the_limits_end_with_exit_code_1(crew):
    crew.task(coder={"promise": "MADE", "verification_config": {"command": "true"}, "max_iterations": 2})
    crew.hire(coder=[GOOD], reviewer=[rejects("never good enough")])
    ended = crew.run()
    assert ended.code == 1
    assert "coder has no iteration left" in ended.err
    assert len(crew.prompts("coder")) == 2


def test_a_task_is_not_sent_to_a_stage_that_it_has_not_passed(crew):
    crew.task()
    crew.hire(
        coder=[rejects("let others do it", "reviewer"), GOOD], reviewer=[rejects("hm", "qa"), promise("REVIEWED")]
    )
    assert crew.run().code == 0
    assert "there is no earlier stage 'reviewer'" in crew.prompts("coder")[1]
    assert "there is no earlier stage 'qa'" in crew.prompts("reviewer")[1]


@pytest.mark.e2e
def test_a_role_without_criteria_gets_its_default_promise_and_a_semantic_check(crew):
    crew.task(reviewer=None)
    crew.hire(coder=[GOOD], reviewer=[promise("REVIEW_PASSED")])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "semantic: the criterion is met" in ended.err
    assert "it is good" in crew.prompts("judge")[0]


def test_a_task_without_any_criteria_runs_with_default_promises_and_a_warning(crew):
    crew.ralph("spec", "create", "s")
    assert crew.ralph("task", "create", "T-1", "s", "Do it", "--without-criteria").code == 0
    words = {
        "coder": "IMPLEMENTATION_COMPLETE",
        "reviewer": "REVIEW_PASSED",
        "tester": "TESTS_PASSED",
        "qa": "QA_PASSED",
    }
    crew.hire(**{role: [promise(word, {"a.txt": "1"})] for role, word in words.items()})
    ended = crew.run("--as", "pipeline")
    assert ended.code == 0, ended.err
    assert "task T-1 has no completion criteria" in ended.err


@pytest.mark.parametrize("off", [{"ralph": {"enabled": False}}, {"roles": ("coder", "reviewer")}])
def test_with_loops_switched_off_each_stage_runs_once_and_every_record_says_not_verified(crew, off):
    crew.task(tester=None, qa=None)
    crew.hire(
        {} if "roles" in off else off, coder=[{"write": {"work.txt": "bad\n"}, "final": "no promise"}], reviewer=[]
    )
    if "roles" in off:
        crew.repo.write(".ralph/settings.json", json.dumps({"roles": {name: {"loop": False} for name in off["roles"]}}))
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert crew.on_branch("work.txt") == "bad\n"
    assert [len(crew.prompts(role)) for role in ("coder", "reviewer", "judge")] == [1, 1, 0]
    assert "<promise>" not in crew.prompts("coder")[0]
    said = "; nothing was checked: coder: not verified; reviewer: not verified"
    assert said in ended.err
    [run, *_] = [each for each in crew.json("runs") if each["recipe"] == "task"]
    assert (run["proof"], run["reason"].endswith(said)) == ("word", True)
    assert "not verified: the stage runs once, and nothing was checked" in crew.ralph("show").out
    assert "not verified" in crew.ralph("task", "show", "T-1").out


def test_a_stage_that_is_no_loop_keeps_a_task_from_being_proven(crew):
    crew.task(tester=None, qa=None)
    crew.hire(coder=[GOOD], reviewer=[promise("something else")])
    crew.repo.write(".ralph/settings.json", json.dumps({"roles": {"reviewer": {"loop": False}}}))
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "proven done" not in ended.err.splitlines()[-2]
    assert "with warnings: reviewer: not verified" in ended.err
    assert "! reviewer: not verified" in crew.ralph("proof", "show", "T-1").out


def test_a_role_that_is_switched_off_is_not_in_the_pipeline(crew):
    crew.task(tester=None, qa=None)
    crew.hire(coder=[GOOD], reviewer=[])
    crew.repo.write(".ralph/settings.json", json.dumps({"roles": {"reviewer": {"enabled": False}}}))
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert [len(crew.prompts(role)) for role in ("coder", "reviewer")] == [1, 0]
    assert "reviewer" not in ended.err


@pytest.mark.e2e
def test_a_shorter_pipeline_and_a_role_of_one_s_own(crew):
    crew.task(reviewer=None, tester=None, qa=None)
    judge = {
        "promise": "SAFE",
        "verification": "external",
        "verificationConfig": {"command": "true"},
        "maxIterations": 2,
    }
    crew.hire({"pipeline": ["coder", "auditor"]}, coder=[GOOD], qa=[promise("SAFE")])
    auditor = {"roles": {"auditor": {**judge, "agent": crew.agents["qa"].command, "instructions": "You audit."}}}
    crew.repo.write(".ralph/settings.json", json.dumps(auditor))
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert crew.prompts("qa")[0].startswith("You audit.")
    assert len(crew.prompts("reviewer")) == 0


def test_what_a_check_writes_is_no_part_of_the_work(crew):
    crew.task(coder={"promise": "MADE", "verification_config": {"command": "touch trace; echo x >> work.txt"}})
    crew.hire(coder=[GOOD])
    assert crew.run().code == 0
    assert "trace" not in crew.git("ls-tree", "--name-only", "-r", "ralph/s").split()
    assert crew.on_branch("work.txt") == "good\n"


@pytest.mark.e2e
def test_a_command_that_cannot_run_counts_as_a_failure_and_the_loop_goes_on(crew):
    check = {"command": "./not-there --now", "timeout": 5}
    crew.task(coder={"promise": "MADE", "verification_config": check, "max_iterations": 2})
    crew.hire(coder=[GOOD])
    ended = crew.run()
    assert ended.code == 1
    assert len(crew.prompts("coder")) == 2
    assert "not-there" in crew.prompts("coder")[1]


@pytest.mark.e2e
def test_a_command_that_never_ends_is_ended(crew):
    check = {"command": "echo begun; sleep 600", "timeout": 0.3}
    crew.task(coder={"promise": "MADE", "verification_config": check, "max_iterations": 1})
    crew.hire(coder=[GOOD])
    ended = crew.run()
    assert ended.code == 1
    assert "0.3 s" in ended.err


@pytest.mark.parametrize(("met", "code"), [(True, 0), (False, 1)])
def test_the_semantic_check_decides(crew, met, code):
    crew.task(reviewer=judged())
    crew.hire(reviewer=[], coder=[GOOD], judge=[judges(it_is_good=met)])
    ended = crew.run()
    assert ended.code == code, ended.err
    shown = crew.ralph("task", "show", "T-1").out
    assert f"[{'x' if met else ' '}] it is good" in shown
    assert f"{met} indeed" in shown


@pytest.mark.e2e
def test_the_judge_sees_the_diff_and_the_final_message_and_not_the_repository(crew):
    crew.task(reviewer=judged())
    crew.hire(coder=[GOOD], reviewer=[promise("REVIEWED", text="I looked at all of it.")])
    assert crew.run().code == 0
    (question,) = crew.prompts("judge")
    assert "+good" in question
    assert "I looked at all of it." in question
    (start,) = crew.agents["judge"].starts
    assert start.cwd.endswith("/empty")


def test_a_negative_pattern_rejects_before_any_model_is_asked(crew):
    crew.task(reviewer=judged(negative_patterns=["TODO"]))
    crew.hire(reviewer=[], coder=[promise("MADE", {"work.txt": "good\nTODO the rest\n"})])
    ended = crew.run()
    assert ended.code == 1
    assert "TODO" in ended.err
    assert crew.prompts("judge") == []


BROKEN = {"exit": 1, "no_result": True, "stderr": "no network"}
LOGGED_OUT = {"is_error": 401, "final": "Invalid API key · Please run /login", "exit": 1}


@pytest.mark.e2e
def test_a_judge_that_fails_three_times_verifies_nothing_in_this_iteration(crew):
    crew.task(reviewer={**judged(), "max_iterations": 2})
    crew.hire(reviewer=[], coder=[GOOD], judge=[BROKEN, BROKEN, BROKEN, judges(it_is_good=True)])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "the judge could not be asked (it exited with code 1: no network)" in crew.prompts("reviewer")[1]
    assert "it could not be verified" in crew.prompts("reviewer")[1]


@pytest.mark.e2e
def test_a_judge_that_is_logged_out_ends_the_run_at_once_and_is_asked_again_when_it_is_resumed(crew):
    crew.task(reviewer=judged())
    crew.hire(reviewer=[], coder=[GOOD], judge=[LOGGED_OUT, judges(it_is_good=True)])
    ended = crew.run()
    assert ended.code == 7, ended.err
    assert "the judge could not be asked" in ended.err
    assert "Log the agent in again" in ended.err
    assert len(crew.prompts("judge")) == 1
    again = crew.ralph("resume")
    assert again.code == 0, again.err
    assert len(crew.prompts("reviewer")) == 1
    assert len(crew.prompts("judge")) == 2


def test_a_judge_that_is_not_there_is_missed_before_anything_begins(crew):
    crew.task(reviewer=judged(model="nobody"))
    missing = {"id": "nobody", "type": "claude", "command": "/no/such/judge"}
    crew.hire({"tools": {"executors": [missing]}}, reviewer=[], coder=[GOOD])
    ended = crew.run()
    assert ended.code == 7
    assert "/no/such/judge, which judges the claims of the reviewer, does not exist" in ended.err
    assert crew.prompts("coder") == []


@pytest.mark.e2e
def test_on_judge_error_string_match_takes_the_promise_and_every_record_says_so(crew):
    crew.task(reviewer=judged())
    crew.hire({"ralph": {"onJudgeError": "string_match"}}, reviewer=[], coder=[GOOD], judge=[BROKEN, BROKEN, BROKEN])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "by promise only: the judge could not be asked" in ended.err
    assert "by promise only" in crew.ralph("show").out
    (last,) = [line for line in ended.err.splitlines() if line.startswith("✓ verified: ")]
    assert "by promise only: the judge could not be asked" in last


def test_on_judge_error_string_match_starts_without_a_judge(crew):
    crew.task(reviewer=judged(model="nobody"))
    missing = {"id": "nobody", "type": "claude", "command": "/no/such/judge"}
    crew.hire({"tools": {"executors": [missing]}, "ralph": {"onJudgeError": "string_match"}}, reviewer=[], coder=[GOOD])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "by promise only" in ended.err


@pytest.mark.e2e
def test_an_answer_that_cannot_be_read_is_not_verified(crew):
    crew.task(reviewer=judged())
    crew.hire(reviewer=[], coder=[GOOD], judge=[{"final": "Looks fine to me!"}] * 3)
    ended = crew.run()
    assert ended.code == 1
    assert "not verified" in ended.err


@pytest.mark.e2e
def test_a_judge_without_quota_is_waited_for_and_the_iteration_not_counted(crew):
    limited = {"is_error": 429, "final": "API Error: Request rejected (429) · rate limit", "exit": 1}
    crew.task(reviewer=judged())
    crew.hire(reviewer=[], coder=[GOOD], judge=[limited, judges(it_is_good=True)])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "not counted as an iteration" in ended.err


@pytest.mark.e2e
def test_several_stages_of_verification(crew):
    stages = [
        {"name": "unit", "method": "external", "config": {"command": "echo fine"}},
        {"name": "lint", "method": "external", "config": {"command": "false"}, "required": False},
        {"name": "criteria", "method": "semantic", "config": {"check_for": "{{acceptance_criteria}}"}},
    ]
    crew.task(
        qa={"promise": "QA_PASSED", "verification_method": "multi_stage", "verification_config": {"stages": stages}}
    )
    crew.hire(qa=[], coder=[GOOD])
    ended = crew.run()
    assert ended.code == 0, ended.err
    assert "✓ unit" in ended.err
    assert "! lint" in ended.err
    assert "✓ criteria" in ended.err
    assert "[x] it is good" in crew.ralph("task", "show", "T-1").out


@pytest.mark.e2e
def test_a_required_stage_of_verification_that_fails(crew):
    stages = [{"name": "unit", "method": "external", "config": {"command": "echo broken; exit 3"}}]
    crew.task(
        qa={
            "promise": "QA_PASSED",
            "verification_method": "multi_stage",
            "verification_config": {"stages": stages},
            "max_iterations": 2,
        }
    )
    crew.hire(qa=[], coder=[GOOD])
    ended = crew.run()
    assert ended.code == 1
    assert "broken" in crew.prompts("qa")[1]
    assert PROMISES["qa"] in crew.prompts("qa")[1]
