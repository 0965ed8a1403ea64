"""A chunk, played against given results: each attempt ships, or is taken back and tried again with feedback."""

from msgspec.structs import replace

from playing import GO_ON, WORKED, crashed, fed_back, given_up, judgement, kinds, play, prompts, tried
from ralph.kernel.actions.agent import FeedBack, RunAgent
from ralph.kernel.actions.approval import Approval, Approved, AwaitApproval, WantedApproval
from ralph.kernel.actions.checks import Answer, AskModel, Recalled, RecallEvidence, RecordEvidence
from ralph.kernel.actions.planning import BuildContext, KeepSummary, ReadWork, WorkSeen
from ralph.kernel.actions.proof import ConfirmTip, Judged, JudgeTrials, TipSeen, TryCheck, WriteProof
from ralph.kernel.actions.reviews import AnchorIssues, FindReview, FoundReview, RecordReview
from ralph.kernel.actions.tasks import (
    Delivered,
    DeliverWork,
    Discarded,
    DiscardWork,
    FindUnfinished,
    OpenWorktree,
    RecordStart,
    Saved,
    SaveWork,
    SetUpWorktree,
    Start,
    Unfinished,
    Worktree,
)
from ralph.kernel.actions.waiting import GiveUp, Granted
from ralph.kernel.chunk_options import ChunkRun
from ralph.kernel.recipes.chunk import chunk_loop
from ralph.kernel.stage_text import TaskText
from ralph.model.context import ChunkContext
from ralph.model.events import Problem
from ralph.model.evidence import Evidence
from ralph.model.proof import Finding
from ralph.model.reviews import Review, ReviewBy, ReviewIssue
from ralph.model.tasks import OutputSummary
from ralph.model.verdicts import AgentFailed, Failed, MaxIterations, TamperedWork, Verified
from ralph.model.verification import External, MultiStage, Part, Semantic

WORKTREE = Worktree("w", "w", "ralph/s--T-1", "c0ffee", "ralph/s")
CHECK = MultiStage((Part("Tests", External("make test")), Part("Lint", External("make lint"), required=False)))
QUICK, DEEP = ReviewBy("quick", "sonnet"), ReviewBy("deep", "opus")
WRONG = ReviewIssue("a.py", (1, 2), "logic_bug", "high", "it is wrong", "do it right", "Do it right.", id="F1")


def chunk(**fields):
    return ChunkRun(
        **{"spec": "s", "task": TaskText("T-1", "Make it", "Do this."), "limit": 3, "check": CHECK, **fields}
    )


def saved(tree="t1"):
    return lambda action: Saved(f"c{action.iteration}", tree, changed=True)


def played(run=None, **results):
    given = {
        OpenWorktree: WORKTREE,
        SetUpWorktree: Evidence("init", passed=True, reason="nothing to prepare"),
        RecordStart: Start(tree="t0"),
        SaveWork: saved(),
        DiscardWork: Discarded("ref"),
        FindUnfinished: Unfinished(),
        DeliverWork: Delivered("delivered"),
        RecallEvidence: Recalled(),
        FindReview: FoundReview("t1"),
        RecordReview: lambda action: action.review,
        BuildContext: lambda action: ChunkContext(action.relevant_files, global_rules=action.rules),
        ReadWork: lambda action: WorkSeen(OutputSummary(f"Made by {action.commit}.")),
        KeepSummary: lambda action: action.summarised,
    }
    named = {kind.__name__: kind for kind in (*given, RunAgent, TryCheck, AskModel, JudgeTrials, GiveUp, ConfirmTip)}
    named |= {kind.__name__: kind for kind in (AwaitApproval, AnchorIssues)}
    return play(chunk_loop(run or chunk()), given | {named[name]: value for name, value in results.items()})


def test_a_step_that_is_to_be_red_is_tried_once_before_the_agent_works():
    steps = MultiStage((Part("Tests", External("make test", red=True)), Part("Lint", External("make lint"))))
    actions, _ = played(chunk(check=steps, quick=None, deep=None), TryCheck=fails(1))
    first, agent = (kinds(actions).index(kind) for kind in (TryCheck, RunAgent))
    assert first < agent
    early = [action for action in found(actions, TryCheck) if not action.iteration]
    assert [(action.trial, action.label, action.tree) for action in early] == [("base", "Tests", WORKTREE.base)]


def found(actions, kind):
    return [action for action in actions if isinstance(action, kind)]


def fails(*iterations, label="Tests"):
    """The check of this label fails in these iterations."""
    return lambda action: tried(action, passed=action.label != label or action.iteration not in iterations)


def test_an_attempt_that_passes_is_delivered_as_one_commit():
    actions, verdict = played()
    assert verdict == Verified(1, "checked", commit="delivered")
    [delivered] = found(actions, DeliverWork)
    assert (delivered.message, delivered.commit) == ("Make it\n\nMade by c1.", "c1")
    [kept] = found(actions, KeepSummary)
    assert (kept.task, kept.summarised.summary.summary) == ("T-1", "Made by c1.")
    assert not found(actions, DiscardWork)
    [written] = found(actions, WriteProof)
    assert (written.commit, written.task, written.spec) == ("delivered", "T-1", "s")


def test_a_failed_required_step_takes_the_attempt_back_and_tells_the_next_one():
    actions, verdict = played(TryCheck=fails(1, 2))
    assert verdict == Verified(3, "checked", commit="delivered")
    assert [(action.iteration, action.commit) for action in found(actions, DiscardWork)] == [(1, "c1"), (2, "c2")]
    assert "Tests: exit code 1" in prompts(actions)[1]
    assert "Its changes were discarded" in prompts(actions)[1]
    assert prompts(actions)[1].index("Feedback on the Last Attempt") < prompts(actions)[1].index("## Your Task")
    # A fresh context each time: nothing piles up.
    assert len(prompts(actions)[2]) == len(prompts(actions)[1])


def test_the_context_is_built_anew_for_each_attempt_from_the_base():
    actions, _ = played(chunk(relevant_files=("a.py",), dependencies=("T-0",)), TryCheck=fails(1))
    built = found(actions, BuildContext)
    assert [(each.iteration, each.commit) for each in built] == [(1, "c0ffee"), (2, "c0ffee")]
    assert {each.dependencies for each in built} == {("T-0",)}


def test_the_work_is_taken_back_before_the_agent_tries_again():
    actions, _ = played(TryCheck=fails(1))
    order = [kind for kind in kinds(actions) if kind in (RunAgent, SaveWork, DiscardWork, FeedBack, DeliverWork)]
    assert order == [RunAgent, SaveWork, DiscardWork, FeedBack, RunAgent, SaveWork, DeliverWork]


def test_at_the_limit_the_last_attempt_is_taken_back_too():
    actions, verdict = played(TryCheck=fails(1, 2, 3))
    assert isinstance(verdict, MaxIterations)
    assert verdict.limit == 3
    assert "Tests: exit code 1" in verdict.reason
    assert len(found(actions, DiscardWork)) == 3
    assert not found(actions, DeliverWork)


def test_a_raised_limit_goes_on_with_the_last_feedback():
    granted = [Granted(go_on=True, iterations=4), Granted()]
    actions, verdict = played(TryCheck=fails(1, 2, 3), GiveUp=granted)
    assert verdict == Verified(4, "checked", commit="delivered")
    assert "Tests: exit code 1" in prompts(actions)[3]


def test_an_optional_step_warns_and_does_not_block():
    actions, verdict = played(TryCheck=fails(1, 2, 3, label="Lint"))
    assert isinstance(verdict, Verified)
    assert not found(actions, DiscardWork)


def test_an_attempt_that_changes_nothing_is_neither_verified_nor_reviewed():
    same = [saved("t0"), saved("t1")]
    actions, verdict = played(chunk(quick=QUICK), SaveWork=same, FindReview=ship_found("quick"))
    assert isinstance(verdict, Verified)
    assert {action.iteration for action in found(actions, (TryCheck, FindReview))} == {2}
    assert "changed no file" in prompts(actions)[1]
    assert "taken back" not in prompts(actions)[1]


def test_what_a_killed_run_delivered_is_examined_from_what_was_there_before():
    earlier = Unfinished("c0ffee", "before", "dead.T-1")
    run = chunk(deep=DEEP)
    actions, verdict = played(run, SaveWork=saved("t0"), FindUnfinished=earlier, FindReview=ship_found("deep"))
    assert isinstance(verdict, Verified)
    assert {action.base for action in found(actions, (FindReview, ReadWork, WriteProof))} == {"before"}
    assert {action.tree for action in found(actions, TryCheck) if action.trial == "base"} == {"before"}
    [delivered] = found(actions, DeliverWork)
    assert delivered.worktree.base == WORKTREE.base


def test_an_attempt_after_it_is_compared_with_the_worktree_again():
    earlier = Unfinished("c0ffee", "before", "dead.T-1")
    same = [saved("t0"), saved("t1")]
    actions, _ = played(chunk(), SaveWork=same, FindUnfinished=earlier, TryCheck=fails(1))
    [discarded] = found(actions, DiscardWork)
    assert discarded.worktree.base == WORKTREE.base
    [written] = found(actions, WriteProof)
    assert written.base == WORKTREE.base


def ship_found(*tiers):
    """A decision of these tiers that stands: no model has to be asked."""
    return lambda action: FoundReview("t1", Review(action.by.tier, action.by.reviewer, "SHIP"))


def test_quick_then_criteria_then_deep():
    run = chunk(quick=QUICK, deep=DEEP, judged=Semantic(("it is good",)))
    actions, verdict = played(run, FindReview=ship_found())
    assert verdict == Verified(1, "checked", commit="delivered")
    steps = [action.key for action in found(actions, (RecordReview, RecallEvidence, RecordEvidence, ConfirmTip))]
    wanted = ["verify/1", "review/1/quick", "recall-evidence/1/criteria", "verify/1/criteria", "review/1/deep"]
    assert steps == [*wanted, "confirm-tip/1"]


def test_a_deep_finding_takes_back_what_the_quick_review_shipped():
    def decided(action):
        bad = action.by.tier == "deep" and action.iteration == 1
        blocking = (replace(WRONG, severity="medium"),) if bad else ()
        decision = "REVISE" if bad else "SHIP"
        return FoundReview("t1", Review(action.by.tier, action.by.reviewer, decision, blocking=blocking))

    actions, verdict = played(chunk(quick=QUICK, deep=DEEP), FindReview=decided)
    assert isinstance(verdict, Verified)
    assert verdict.iterations == 2
    assert [action.iteration for action in found(actions, DiscardWork)] == [1]
    assert "Do it right." in prompts(actions)[1]


def test_what_a_step_fails_with_is_told_beside_earlier_findings():
    def decided(action):
        bad = action.iteration == 1
        blocking = (WRONG,) if bad else ()
        return FoundReview(
            "t1", Review(action.by.tier, action.by.reviewer, "REVISE" if bad else "SHIP", blocking=blocking)
        )

    actions, _ = played(chunk(quick=QUICK), FindReview=decided, TryCheck=fails(2))
    assert "must stay fixed" in prompts(actions)[2]
    assert "it is wrong" in prompts(actions)[2]


def test_a_reviewer_without_a_decision_fails_the_iteration_and_keeps_the_work():
    prose = Answer(reason="no JSON", was_asked=True)
    shipped = Answer(value={"decision": "SHIP", "issues": []})
    actions, verdict = played(chunk(quick=QUICK), AskModel=[prose, shipped])
    assert isinstance(verdict, Verified)
    assert verdict.iterations == 2
    assert not found(actions, DiscardWork)
    assert "could not be reviewed" in prompts(actions)[1]
    assert "still in the files" in prompts(actions)[1]


def test_criteria_that_are_not_met_take_the_attempt_back():
    answers = [judgement("1", met=False), judgement("1")]
    actions, verdict = played(chunk(judged=Semantic(("it is good",))), AskModel=answers)
    assert isinstance(verdict, Verified)
    assert [action.iteration for action in found(actions, DiscardWork)] == [1]
    assert "it is good" in prompts(actions)[1]


def test_what_a_model_judged_before_of_the_same_files_is_not_asked_again():
    seen = Evidence("semantic", passed=True, reason="all 1 criteria are met", proof="judged")
    actions, verdict = played(chunk(check=None, judged=Semantic(("it is good",))), RecallEvidence=Recalled(seen))
    assert verdict == Verified(1, "judged", commit="delivered")
    assert not found(actions, AskModel)


def test_keep_goes_on_with_the_work():
    actions, verdict = played(chunk(on_revise="keep"), TryCheck=fails(1))
    assert isinstance(verdict, Verified)
    assert not found(actions, DiscardWork)
    assert "still in the files" in prompts(actions)[1]
    [opened] = found(actions, OpenWorktree)
    assert not opened.fresh


def test_an_agent_that_fails_is_tried_again():
    actions, verdict = played(RunAgent=[crashed(tail="out of memory"), WORKED])
    assert isinstance(verdict, Verified)
    assert "out of memory" in prompts(actions)[1]
    assert not [action for action in found(actions, TryCheck) if action.iteration == 1]


def test_three_blocks_in_a_row_are_tampering():
    blocked = Judged((Finding("gone", "block", "a test is gone"),))
    _, verdict = played(chunk(limit=9), JudgeTrials=blocked)
    assert isinstance(verdict, TamperedWork)


def test_a_branch_that_moved_meanwhile_is_not_what_was_examined():
    actions, verdict = played(ConfirmTip=[TipSeen("the branch was moved"), TipSeen()])
    assert isinstance(verdict, Verified)
    assert verdict.iterations == 2
    assert "the branch was moved" in fed_back(actions)[0]


class TestDelivery:
    def test_work_that_is_merged_is_checked_again(self):
        moved = Delivered("", moved_to="other", merged="merged")
        actions, verdict = played(DeliverWork=[moved, Delivered("delivered")])
        assert verdict == Verified(1, "checked", commit="delivered")
        assert "merged" in {action.tree for action in found(actions, TryCheck)}
        assert [action.commit for action in found(actions, DeliverWork)] == ["c1", "merged"]

    def test_what_the_merge_breaks_is_done_anew_on_top_of_it(self):
        moved = Delivered("", moved_to="other", merged="merged")

        def trial(action):
            return tried(action, passed=action.tree != "merged")

        actions, verdict = played(DeliverWork=[moved, Delivered("delivered")], TryCheck=trial)
        assert verdict == Verified(2, "checked", commit="delivered")
        assert [opened.fresh for opened in found(actions, OpenWorktree)] == [True, True]
        assert "other work was delivered meanwhile" in prompts(actions)[1]
        assert found(actions, DiscardWork)

    def test_a_conflict_is_done_anew_while_iterations_are_left(self):
        conflict = Delivered("", "other work conflicts with it in a.txt", conflict=True)
        actions, verdict = played(chunk(limit=2), DeliverWork=conflict)
        assert isinstance(verdict, MaxIterations)
        assert "a.txt" in verdict.reason
        assert len(found(actions, DeliverWork)) == 2

    def test_a_branch_that_is_checked_out_can_be_delivered_to_once_it_is_free(self):
        held = Delivered("", "ralph/s is checked out in /repo")
        _, verdict = played(DeliverWork=held)
        assert verdict == Failed("the work is good, but it could not be delivered: ralph/s is checked out in /repo")
        actions, verdict = played(DeliverWork=[held, Delivered("delivered")], GiveUp=GO_ON)
        assert isinstance(verdict, Verified)
        assert given_up(actions)


class TestPeople:
    RUN = chunk(people=(WantedApproval(2, "it looks good"),))
    YES = Approval((Approved(2, "ada", "2026-01-01T00:00:00Z"),), seen=7)

    def test_all_else_is_verified_before_a_person_is_asked(self):
        actions, verdict = played(self.RUN, AwaitApproval=self.YES)
        assert verdict == Verified(1, "checked", commit="delivered")
        order = [kind for kind in kinds(actions) if kind in (ConfirmTip, AwaitApproval, DeliverWork)]
        assert order == [ConfirmTip, AwaitApproval, DeliverWork]
        evidence = found(actions, RecordEvidence)[-1].evidence
        assert evidence.parts[0].check == "it looks good"
        assert evidence.parts[0].reason == "approved by ada, 2026-01-01T00:00:00Z"

    def test_a_rejection_is_feedback_for_one_more_iteration_also_at_the_limit(self):
        no = Approval(rejected_by="ada", why="the colours are wrong", seen=3)
        actions, verdict = played(replace(self.RUN, limit=1), AwaitApproval=[no, self.YES])
        assert verdict == Verified(2, "checked", commit="delivered")
        assert "the colours are wrong" in prompts(actions)[1]
        assert [action.seen for action in found(actions, AwaitApproval)] == [0, 3]


class TestWords:
    def test_a_review_alone_runs_nothing(self):
        _, verdict = played(chunk(check=None, quick=QUICK), FindReview=ship_found())
        assert verdict.proof == "word"
        assert verdict.reason == "reviewed; nothing was run after 1 iteration"

    def test_nothing_at_all_is_the_agents_word(self):
        _, verdict = played(chunk(check=None))
        assert verdict.reason == "done by the agent's word after 1 iteration; nothing was checked"

    def test_rules_and_files_stand_in_the_prompt(self):
        actions, _ = played(chunk(relevant_files=("a.py",), project_rules=("Use pnpm",)))
        assert "- a.py" in prompts(actions)[0]
        assert "## Global Rules\n- Use pnpm" in prompts(actions)[0]


def test_a_reviewer_that_will_never_work_ends_the_run():
    dead = Answer(reason="not logged in", was_asked=False, problem=Problem("auth", "not logged in"))
    _, verdict = played(chunk(quick=QUICK), AskModel=dead)
    assert isinstance(verdict, AgentFailed)


class TestWiring:
    """What one part of a chunk hands to the next."""

    OPEN = TaskText("T-1", "Make\n  it", "Do this.", acceptance=("it is good",))

    def test_the_agents_own_words_become_the_summary(self):
        actions, _ = played(RunAgent=[crashed(), replace(WORKED, final="It is made.")])
        [read] = found(actions, ReadWork)
        assert read.final == "It is made."

    def test_a_title_of_several_lines_is_one_subject(self):
        actions, _ = played(chunk(task=self.OPEN))
        [delivered] = found(actions, DeliverWork)
        assert delivered.message == "Make it\n\nMade by c1."

    def test_the_record_has_the_criteria_and_what_a_person_must_look_at(self):
        doubt = Judged((Finding("assertion", "warn", "an assertion was changed"),))
        actions, verdict = played(chunk(task=self.OPEN), JudgeTrials=doubt)
        [written] = found(actions, WriteProof)
        assert written.criteria == ("it is good",)
        assert written.doubts == verdict.doubts
        assert "an assertion was changed" in verdict.doubts[0]
        assert verdict.proof == "warned"

    def test_what_was_hidden_from_git_blocks_also_where_nothing_is_run(self):
        hidden = Finding("hidden", "block", "a file is hidden from git")
        blocked = Saved("c1", "t1", changed=True, findings=(hidden,))
        actions, verdict = played(chunk(check=None, limit=1), SaveWork=blocked)
        assert isinstance(verdict, MaxIterations)
        assert "a file is hidden from git" in fed_back(actions)[0]

    def test_a_person_alone_runs_nothing(self):
        run = replace(TestPeople.RUN, check=None, quick=QUICK)
        _, verdict = played(run, AwaitApproval=TestPeople.YES, FindReview=ship_found())
        assert verdict.reason == "reviewed and approved by a person; nothing was run after 1 iteration"

    def test_an_optional_step_that_fails_is_told_to_the_reviewer(self):
        actions, _ = played(chunk(quick=QUICK), TryCheck=fails(1, label="Lint"))
        [asked] = found(actions, AskModel)
        assert "Lint (optional, failed)" in asked.prompt

    def test_what_is_judged_is_remembered_under_the_question_it_is_looked_for(self):
        actions, _ = played(chunk(judged=Semantic(("it is good",))), AskModel=judgement("1"))
        [looked] = found(actions, RecallEvidence)
        recorded = found(actions, RecordEvidence)[-1]
        assert recorded.question == looked.question
        assert recorded.question.tree == "t1"

    def test_a_judge_that_answers_after_somebody_has_gone_on_is_asked_as_another_question(self):
        dead = Answer(reason="not logged in", was_asked=False, problem=Problem("auth", "not logged in"))
        run = chunk(judged=Semantic(("it is good",)))
        actions, verdict = played(run, AskModel=[dead, judgement("1")], GiveUp=[GO_ON, Granted()])
        assert isinstance(verdict, Verified)
        keys = [action.key for action in found(actions, RecallEvidence)]
        assert len(set(keys)) == len(keys) == 2

    def test_the_same_denial_three_times_ends_the_run(self):
        denied = replace(WORKED, problem=Problem("permission", "it was denied a permission: Bash(git push)"))
        actions, verdict = played(chunk(limit=9), RunAgent=denied, TryCheck=fails(*range(1, 10)))
        assert isinstance(verdict, AgentFailed)
        assert len(found(actions, RunAgent)) == 3
