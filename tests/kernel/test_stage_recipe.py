"""One role's loop, played against given results."""

import pytest

from playing import WORKED, crashed, kinds, play, prompts
from ralph.kernel.actions import Claim, ReadClaim, RunAgent, Saved, SaveWork, Verify, Worktree
from ralph.kernel.recipes.stage import StageRun, stage_loop
from ralph.kernel.stage_text import Stage, TaskText, sent_back
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport, Evidence
from ralph.model.verdicts import AgentFailed, MaxIterations, SentBack, Verified
from ralph.model.verification import External, MultiStage, Part, Semantic, StringMatch

WORKTREE = Worktree("/w", "/w", "ralph/s--T-1", "c0ffee", "ralph/s")
TASK = TaskText("T-1", "Make it", "In detail.", "It is made", ("it is there", "it is good"))
PROMISED, SILENT = Claim("MADE"), Claim()
TRUE = Evidence("external", passed=True, reason="exit code 0")
FALSE = Evidence("external", passed=False, reason="exit code 3", output="no such file", log="the.log")


def stage(**changes):
    fields = {"role": "coder", "promise": "MADE", "check": External("make test"), "limit": 3, "success": "All done"}
    return Stage(**{**fields, **changes})


def played(claims=PROMISED, seen=TRUE, reports=WORKED, **run):
    loop = StageRun(**{"task": TASK, "stage": stage(), "worktree": WORKTREE, **run})
    results = {ReadClaim: claims, Verify: seen, RunAgent: reports, SaveWork: Saved("1", "2", changed=True)}
    return play(stage_loop(loop), results)


def test_a_promise_that_is_verified_completes_the_stage():
    actions, verdict = played()
    assert verdict == Verified(1)
    assert kinds(actions) == [RunAgent, SaveWork, ReadClaim, Verify]


def test_what_is_verified_has_been_committed_before():
    actions, _ = played()
    assert kinds(actions).index(SaveWork) < kinds(actions).index(Verify)
    assert actions[-1].base == "c0ffee"


def test_without_a_promise_nothing_is_verified():
    actions, verdict = played(SILENT)
    assert verdict == MaxIterations(3, "no completion promise found")
    assert Verify not in kinds(actions)
    assert "no completion promise found" in prompts(actions)[1]


@pytest.mark.parametrize("said", ["made", "MADE IT", "NOT MADE", "REVIEWED"])
def test_another_promise_is_the_wrong_one(said):
    actions, verdict = played([Claim(said), PROMISED])
    assert verdict == Verified(2)
    assert f"wrong promise: it said {said!r}, wanted 'MADE'" in prompts(actions)[1]


def test_a_false_promise_is_told_why_it_is_false():
    actions, verdict = played(seen=[FALSE, TRUE])
    assert verdict == Verified(2)
    told = prompts(actions)[1]
    assert "Verification failed: exit code 3" in told
    assert "the.log" in told
    assert "no such file" in told


def test_each_part_that_failed_is_told():
    parts = (
        Evidence("unit", passed=True, reason="exit code 0"),
        Evidence("lint", passed=False, reason="exit code 1", output="E501"),
        Evidence("coverage", passed=False, reason="79%", required=False),
    )
    actions, _ = played(seen=[Evidence("multi_stage", passed=False, reason="lint failed", parts=parts), TRUE])
    told = prompts(actions)[1]
    assert "- lint: exit code 1\n" in told
    assert "- coverage: 79% (a warning only)" in told
    assert "E501" in told
    assert "- unit" not in told


def test_a_promise_that_is_false_for_ever_ends_at_the_limit_with_the_last_reason():
    actions, verdict = played(seen=FALSE)
    assert verdict == MaxIterations(3, "verification failed: exit code 3")
    assert kinds(actions).count(Verify) == 3


def test_the_last_iteration_counts():
    assert played(seen=[FALSE, FALSE, TRUE])[1] == Verified(3)


def test_old_feedback_is_not_repeated():
    actions, _ = played([SILENT, Claim("WRONG"), PROMISED])
    assert "no completion promise found" not in prompts(actions)[2]


def test_why_the_task_was_sent_back_stands_in_every_prompt():
    back = (sent_back("reviewer", "no tests"),)
    actions, _ = played([SILENT, PROMISED], feedback=back)
    assert all("The reviewer sent the task back" in prompt and "no tests" in prompt for prompt in prompts(actions))


def test_a_stage_that_works_again_goes_on_counting():
    actions, verdict = played(SILENT, first=3)
    assert verdict == MaxIterations(3, "no completion promise found")
    assert [action.iteration for action in actions if isinstance(action, RunAgent)] == [3]
    assert "**Iteration**: 3/3" in prompts(actions)[0]


def test_a_later_stage_may_send_the_task_back():
    actions, verdict = played(Claim(reject_stage="coder", reject_why="it is not there"), earlier=("coder",))
    assert verdict == SentBack("coder", "it is not there", 1)
    assert Verify not in kinds(actions)


def test_sending_back_outweighs_a_promise_in_the_same_message():
    both = Claim("MADE", reject_stage="coder", reject_why="no")
    assert played(both, earlier=("coder",))[1] == SentBack("coder", "no", 1)


@pytest.mark.parametrize("earlier", [(), ("coder",)])
def test_a_task_cannot_be_sent_where_it_has_not_been(earlier):
    actions, verdict = played([Claim(reject_stage="qa", reject_why="no"), PROMISED], earlier=earlier)
    assert verdict == Verified(2)
    assert "there is no earlier stage 'qa'" in prompts(actions)[1]


def test_the_work_of_an_agent_that_failed_is_kept():
    actions, verdict = played(reports=[crashed(tail="out of memory"), WORKED])
    assert verdict == Verified(2)
    assert kinds(actions)[:2] == [RunAgent, SaveWork]
    assert "out of memory" in prompts(actions)[1]


def test_three_silent_failures_end_the_stage():
    actions, verdict = played(reports=crashed(silent=True), stage=stage(limit=9))
    assert isinstance(verdict, AgentFailed)
    assert kinds(actions).count(RunAgent) == 3


def test_an_agent_that_is_not_logged_in_ends_the_stage_at_once():
    refused = AgentReport("failed", "invalid key", "d", problem=Problem("auth", "invalid key"))
    actions, verdict = played(reports=refused)
    assert isinstance(verdict, AgentFailed)
    assert kinds(actions).count(RunAgent) == 1


def test_the_prompt_says_what_done_means():
    actions, _ = played(stage=stage(instructions="You are the coder."))
    prompt = prompts(actions)[0]
    for part in (
        "You are the coder.",
        "# T-1: Make it",
        "In detail.",
        "## Ralph Loop Status\n- **Iteration**: 1/3\n- **Agent**: coder",
        '## Task Outcome (What "Done" Means)\nIt is made',
        "## Acceptance Criteria\n- [ ] it is there\n- [ ] it is good",
        "**Success Criteria for coder:**\nAll done",
        "<promise>MADE</promise>",
        "verified using: external (`make test`)",
        "until genuine completion or iteration 3.",
    ):
        assert part in prompt
    assert "<reject" not in prompt


def test_a_later_stage_is_told_how_to_send_back():
    actions, _ = played(earlier=("coder", "reviewer"))
    assert '<reject stage="coder">why</reject>' in prompts(actions)[0]
    assert "Earlier stages: coder, reviewer." in prompts(actions)[0]


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (StringMatch(), "string_match"),
        (Semantic(("it is good",)), "semantic"),
        (MultiStage((Part("unit", External("make")), Part("look", Semantic()))), "multi_stage (unit, look)"),
    ],
)
def test_the_prompt_names_the_method(check, words):
    actions, _ = played(stage=stage(check=check))
    assert f"verified using: {words}\n" in prompts(actions)[0]
