"""One role's loop, played against given results."""

from itertools import repeat

import pytest
from msgspec.structs import replace

from playing import GO_ON, SAID, WORKED, crashed, fed_back, given_up, kinds, play, prompts, tried
from ralph.kernel.actions.agent import Claim, FeedBack, ReadClaim, RunAgent
from ralph.kernel.actions.checks import ReadChange, RecordEvidence, RunCheck
from ralph.kernel.actions.proof import ComposeCanary, ComposeTrees, ConfirmTip, JudgeTrials, TipSeen, TryCheck
from ralph.kernel.actions.tasks import Saved, SaveWork, Worktree
from ralph.kernel.actions.waiting import GiveUp, Granted
from ralph.kernel.recipes.stage import StageRun, stage_loop
from ralph.kernel.stage_text import Stage, TaskText, sent_back
from ralph.model.events import Problem
from ralph.model.evidence import AgentReport
from ralph.model.places import task_place
from ralph.model.verdicts import AgentFailed, MaxIterations, SentBack, Verified
from ralph.model.verification import External, MultiStage, NamedCheck, Part, Semantic, StringMatch

WORKTREE = Worktree("w", "w", "ralph/s--T-1", "c0ffee", "ralph/s")
TASK = TaskText("T-1", "Make it", "In detail.", "It is made", ("it is there", "it is good"))
NO_PROMISE = "no completion promise found"
PROMISED, SILENT = Claim("MADE"), Claim(problem=NO_PROMISE)
SAVED = Saved("1", "2", changed=True)
TRUE, FALSE = {"passed": True}, {"passed": False, "output": "no such file", "log": "the.log"}
WHY = "exit code 1, expected 0"
PROVEN = Verified(1, "checked", commit=SAVED.commit)


def stage(**changes):
    fields = {"role": "coder", "promise": "MADE", "check": External("make test"), "limit": 3, "success": "All done"}
    return Stage(**{**fields, **changes})


def played(claims=PROMISED, seen=TRUE, reports=WORKED, granted=Granted(), tip=TipSeen(), **run):  # noqa: B008 - frozen
    """`seen` is how the check ends on the commit, each time; elsewhere it passes."""
    loop = StageRun(**{"spec": "s", "task": TASK, "stage": stage(), "worktree": WORKTREE, **run})
    ends = iter(seen) if isinstance(seen, list) else repeat(seen)

    def check(action):
        return tried(action, **(next(ends) if action.trial == "commit" else TRUE))

    results = {ReadClaim: claims, TryCheck: check, RunAgent: reports, SaveWork: SAVED, GiveUp: granted, ConfirmTip: tip}
    return play(stage_loop(loop), results)


def test_a_promise_that_is_verified_completes_the_stage():
    actions, verdict = played()
    assert verdict == PROVEN
    assert kinds(actions) == [
        RunAgent, SaveWork, ReadClaim, TryCheck, ComposeTrees, TryCheck, ComposeCanary, JudgeTrials, RecordEvidence,
        ConfirmTip,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "check", [External("make test", red=True), MultiStage((Part("unit", External("make", red=True)),))]
)
def test_a_check_that_is_to_be_red_is_tried_on_the_base_before_the_agent_works(check):
    actions, verdict = played(stage=stage(check=check))
    first = actions[0]
    assert isinstance(first, TryCheck)
    assert (first.trial, first.tree, first.iteration) == ("base", WORKTREE.base, 0)
    assert isinstance(actions[1], RunAgent)
    assert verdict.iterations == 1


def test_a_check_that_is_red_at_once_is_told_of_by_its_line():
    check = TryCheck(0, "base", "make test", "make_test", External("make test", red=True), "c0ffee")
    green, red = (check.ended(tried(check, passed=passed)) for passed in (True, False))
    assert (green.mark, "already passes on the base" in green.text) == ("warn", True)
    assert red.mark == "quiet"


def test_what_is_verified_has_been_committed_before():
    actions, _ = played()
    assert kinds(actions).index(SaveWork) < kinds(actions).index(TryCheck)
    first = next(action for action in actions if isinstance(action, TryCheck))
    assert (first.trial, first.tree, first.place.tree) == ("commit", SAVED.commit, SAVED.commit)


def test_a_branch_that_moved_while_the_checks_ran_is_not_verified():
    actions, verdict = played(tip=[TipSeen("ralph/s--T-1 was moved"), TipSeen()])
    assert verdict == replace(PROVEN, iterations=2)
    assert "ralph/s--T-1 was moved" in prompts(actions)[1]


def test_the_change_that_is_judged_is_all_since_the_task_began():
    actions, _ = played(stage=stage(check=Semantic(negative_patterns=("TODO",))))
    [look] = [action for action in actions if isinstance(action, ReadChange)]
    assert (look.base, look.commit, look.said.text, look.patterns) == ("c0ffee", SAVED.commit, SAID.text, ("TODO",))


def test_work_happens_in_the_worktree_of_the_task_and_checks_where_nobody_else_works():
    look = NamedCheck("look", {}, "look")
    check = MultiStage((Part("unit", External("make")), Part("named", look), Part("judge", Semantic(("A",)))))
    actions, _ = played(stage=stage(check=check))
    there, apart = (RunAgent, SaveWork), (TryCheck, RunCheck)
    assert {action.place for action in actions if isinstance(action, there)} == {task_place("T-1")}
    assert {action.place.kind for action in actions if isinstance(action, apart)} == {"verification"}
    assert all(action.place.tree for action in actions if isinstance(action, apart))


def test_without_a_promise_nothing_is_verified():
    actions, verdict = played(SILENT)
    assert verdict == MaxIterations(3, NO_PROMISE)
    assert RecordEvidence not in kinds(actions)
    assert NO_PROMISE in prompts(actions)[1]


def test_a_claim_with_a_problem_is_not_verified_and_the_problem_is_fed_back():
    problem = "wrong promise: it said 'NOT MADE', expected 'MADE'"
    actions, verdict = played([Claim("NOT MADE", problem=problem), PROMISED])
    assert verdict == replace(PROVEN, iterations=2)
    assert kinds(actions).count(RecordEvidence) == 1
    assert problem in prompts(actions)[1]


def test_the_claim_is_read_against_the_promise_and_the_earlier_stages():
    actions, _ = played(earlier=("coder",))
    [read] = [action for action in actions if isinstance(action, ReadClaim)]
    assert (read.said.text, read.expected, read.earlier) == (SAID.text, "MADE", ("coder",))
    assert read.said.prompt == prompts(actions)[0], "what the agent repeats of it is not its own word"


@pytest.mark.parametrize(
    "run", [{"claims": [SILENT, PROMISED]}, {"seen": [FALSE, TRUE]}, {"reports": [crashed(tail="boom"), WORKED]}]
)
def test_what_the_next_iteration_is_told_is_an_action_of_this_one(run):
    actions, _ = played(**run)
    (told,) = fed_back(actions)
    assert told in prompts(actions)[1]
    assert [action.iteration for action in actions if isinstance(action, FeedBack)] == [1]


def test_a_false_promise_is_told_why_it_is_false():
    actions, verdict = played(seen=[FALSE, TRUE])
    assert verdict == replace(PROVEN, iterations=2)
    told = prompts(actions)[1]
    assert f"Verification failed: {WHY}" in told
    assert "the.log" in told
    assert "no such file" in told


def test_each_part_that_failed_is_told():
    parts = (
        Part("unit", External("make unit")),
        Part("lint", External("make lint")),
        Part("coverage", External("make coverage"), required=False),
    )
    # One that fails alone is tried once more after those before it.
    ends = [TRUE, FALSE, FALSE, FALSE, FALSE, TRUE, TRUE, TRUE]
    actions, _ = played(seen=ends, stage=stage(check=MultiStage(parts, require_all=False)))
    told = prompts(actions)[1]
    assert f"- lint: {WHY}\n" in told
    assert f"- coverage: {WHY} (a warning only)" in told
    assert "no such file" in told
    assert "- unit" not in told


def test_a_promise_that_is_false_for_ever_ends_at_the_limit_with_the_last_reason():
    actions, verdict = played(seen=FALSE)
    assert verdict == MaxIterations(3, f"verification failed: {WHY}")
    assert kinds(actions).count(RecordEvidence) == 3


def test_the_last_iteration_counts():
    assert played(seen=[FALSE, FALSE, TRUE])[1] == replace(PROVEN, iterations=3)


def test_old_feedback_is_not_repeated():
    actions, _ = played([SILENT, Claim("WRONG", problem="wrong promise"), PROMISED])
    assert NO_PROMISE not in prompts(actions)[2]


def test_why_the_task_was_sent_back_stands_in_every_prompt():
    back = (sent_back("reviewer", "no tests"),)
    actions, _ = played([SILENT, PROMISED], feedback=back)
    assert all("The reviewer sent the task back" in prompt and "no tests" in prompt for prompt in prompts(actions))


def test_a_stage_that_works_again_goes_on_counting():
    actions, verdict = played(SILENT, first=3)
    assert verdict == MaxIterations(3, NO_PROMISE)
    assert [action.iteration for action in actions if isinstance(action, RunAgent)] == [3]
    assert "**Iteration**: 3/3" in prompts(actions)[0]


def test_a_later_stage_may_send_the_task_back():
    actions, verdict = played(Claim(reject_stage="coder", reject_why="it is not there"), earlier=("coder",))
    assert verdict == SentBack("coder", "it is not there", 1)
    assert RecordEvidence not in kinds(actions)


def test_sending_back_outweighs_a_promise_in_the_same_message():
    both = Claim("MADE", reject_stage="coder", reject_why="no")
    assert played(both, earlier=("coder",))[1] == SentBack("coder", "no", 1)


@pytest.mark.parametrize("earlier", [(), ("coder",)])
def test_a_task_cannot_be_sent_where_it_has_not_been(earlier):
    problem = "there is no earlier stage 'qa'"
    wrong = Claim(reject_stage="qa", reject_why="no", problem=problem)
    actions, verdict = played([wrong, PROMISED], earlier=earlier)
    assert verdict == replace(PROVEN, iterations=2)
    assert problem in prompts(actions)[1]
    assert all(f"sent back to: {stage}" in prompts(actions)[1] for stage in earlier)


def test_the_work_of_an_agent_that_failed_is_kept():
    actions, verdict = played(reports=[crashed(tail="out of memory"), WORKED])
    assert verdict == replace(PROVEN, iterations=2)
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


def test_a_stage_asks_before_it_gives_up():
    actions, verdict = played(SILENT, stage=stage(limit=1))
    assert given_up(actions) == [verdict.reason]
    assert isinstance(actions[-1], GiveUp)


def test_a_raised_limit_goes_on_with_the_next_iteration():
    granted = [Granted(go_on=True, iterations=3)]
    actions, verdict = played([SILENT, PROMISED], stage=stage(limit=1), granted=granted)
    assert verdict == replace(PROVEN, iterations=2)
    assert "**Iteration**: 2/3" in prompts(actions)[1]


def test_an_agent_that_is_logged_in_again_works_and_its_work_is_saved_again():
    refused = AgentReport("failed", "invalid key", "d", problem=Problem("auth", "invalid key"))
    actions, verdict = played(reports=[refused, WORKED], granted=GO_ON)
    assert verdict == PROVEN
    assert kinds(actions)[:5] == [RunAgent, SaveWork, GiveUp, RunAgent, SaveWork]
