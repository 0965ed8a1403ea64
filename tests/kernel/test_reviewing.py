"""A review, played without a model: what is asked for, and what it comes to."""

import pytest
from msgspec.structs import replace

from playing import GO_ON, given_up, play, reviewed_as
from ralph.kernel.actions.checks import Answer, AskModel, Change, FileDiff, Files, ReadChange, ReadFiles
from ralph.kernel.actions.reviews import (
    Anchor,
    AnchorIssues,
    Anchors,
    FindReview,
    FoundReview,
    RecordReview,
    RunReviewer,
)
from ralph.kernel.actions.waiting import GiveUp, Granted
from ralph.kernel.going_on import Persistence
from ralph.kernel.review_question import MOST_SHOWN
from ralph.kernel.reviewing import ReviewMaterial, Reviews, reviewed
from ralph.kernel.stage_text import TaskText
from ralph.model.events import Problem
from ralph.model.places import verification_place
from ralph.model.reviews import Review, ReviewBy
from ralph.model.verdicts import AgentFailed
from reviews import MODEL, SEED_ISSUE, found, issue

TASK = TaskText("T-1", "Log in", "People log in.")
ABOUT = ReviewMaterial(1, TASK, "c0ffee", "deed")
LOW = issue(severity="low")
FAILED = Answer(reason="it exited with code 3", was_asked=False)
UNREADABLE = Answer(reason="the answer cannot be used: it contains no JSON object")


def review(answers, *, by=MODEL, history=None, about=ABOUT, results=None):
    """The actions, and what the review came to."""
    asked = RunReviewer if by.command else AskModel
    made = reviewed(by, about, history if history is not None else Reviews(), Persistence())
    return play(made, {asked: answers} | (results or {}))


def asks(actions):
    return [each for each in actions if isinstance(each, AskModel | RunReviewer)]


def test_a_reviewer_that_ships_is_asked_once_in_a_checkout_of_the_commit():
    actions, seen = review(reviewed_as("SHIP"))
    [asked] = asks(actions)
    assert (asked.role, asked.form, asked.model, asked.by) == ("review", "review", "sonnet", "")
    assert asked.place == verification_place("T-1", "deed")
    assert (seen.decision, seen.tier, seen.reviewer) == ("SHIP", "quick", "sonnet-quick")
    assert (seen.base, seen.commit, seen.tree) == ("c0ffee", "deed", "tree of deed")
    assert [each.key for each in actions] == [
        "find-review/1/quick",
        "read-change/1/quick",
        "ask-model/1/review-quick",
        "review/1/quick",
    ]


def test_the_plain_form_blocks():
    _, seen = review(reviewed_as("REVISE", SEED_ISSUE))
    assert seen.decision == "REVISE"
    assert [(each.id, each.agent_prompt) for each in seen.blocking] == [("F1", SEED_ISSUE["agentPrompt"])]


def test_the_counts_are_ralphs_own():
    said = reviewed_as("REVISE", issue(), LOW, summary={"total": 9, "high": 9, "medium": 0, "low": 0})
    _, seen = review(said)
    counts = seen.result.summary
    assert (counts.total, counts.high, counts.medium, counts.low) == (2, 0, 1, 1)


def test_revise_without_a_finding_is_asked_again_once_and_then_ships_with_a_note():
    actions, seen = review([reviewed_as("REVISE"), reviewed_as("REVISE", LOW)])
    first, second = asks(actions)
    assert second.key == "ask-model/1/review-quick-second"
    assert "nothing that you named blocks" in second.prompt
    assert "nothing that you named" not in first.prompt
    assert (seen.decision, seen.note) == ("SHIP", "nothing blocking was named")
    assert [each.passed_over for each in seen.recorded] == ["its severity is low"]


def test_revise_that_names_something_when_asked_again_is_revise():
    _, seen = review([reviewed_as("REVISE", LOW), reviewed_as("REVISE", issue())])
    assert (seen.decision, seen.note) == ("REVISE", "")
    assert [each.severity for each in seen.issues] == ["medium", "low"]


def test_a_reviewer_that_changes_its_mind_when_asked_again_ships():
    _, seen = review([reviewed_as("REVISE"), reviewed_as("SHIP")])
    assert (seen.decision, seen.note) == ("SHIP", "")


def test_ship_with_a_high_finding_is_revise():
    _, seen = review(reviewed_as("SHIP", issue(severity="high")))
    assert seen.decision == "REVISE"


def test_quoted_code_that_is_not_there_does_not_block():
    nowhere = Anchors((Anchor("src/auth.py", problem="the code that it quotes is not there"),))
    actions, seen = review(reviewed_as("REVISE", issue()), results={AnchorIssues: nowhere})
    assert len(asks(actions)) == 2
    assert (seen.decision, seen.note) == ("SHIP", "nothing blocking was named")


def test_a_reviewer_that_fails_is_asked_again_once_and_then_there_is_no_decision():
    actions, seen = review(FAILED)
    assert [each.key for each in asks(actions)] == ["ask-model/1/review-quick", "ask-model/1/review-quick-try-2"]
    assert (seen.decision, seen.problem, seen.ships) == ("", "it exited with code 3", False)
    assert seen.complaint == "quick review: it exited with code 3"


def test_a_reviewer_that_answers_the_second_time_decides():
    _, seen = review([FAILED, reviewed_as("SHIP")])
    assert seen.ships


def test_an_answer_that_cannot_be_read_is_no_decision():
    """It has been asked again already, with what was wrong."""
    actions, seen = review(UNREADABLE)
    assert len(asks(actions)) == 1
    assert (seen.decision, seen.problem) == ("", UNREADABLE.reason)


MISSING = Answer(reason="claude is not on PATH", was_asked=False, problem=Problem("missing", "claude"))


def test_a_reviewer_that_will_never_answer_ends_the_run_unless_somebody_goes_on():
    actions, verdict = review(MISSING)
    assert len(asks(actions)) == 1
    assert isinstance(verdict, AgentFailed)
    assert verdict.reason.startswith("the quick review could not be made: claude is not on PATH. Install or start it")
    assert given_up(actions) == [verdict.reason]


def test_it_is_asked_again_after_somebody_has_gone_on():
    actions, seen = review([MISSING, reviewed_as("SHIP")], results={GiveUp: [GO_ON]})
    assert [each.key for each in asks(actions)] == ["ask-model/1/review-quick", "ask-model/1/review-quick-again-1"]
    assert seen.ships


def test_nothing_to_review_is_no_decision():
    actions, seen = review(reviewed_as("SHIP"), results={ReadChange: Change(boundary="b")})
    assert asks(actions) == []
    assert (seen.decision, seen.problem) == ("", "there is no change to review")


# A tier does not review the same files twice.


def test_an_earlier_answer_stands():
    before = Review("quick", "sonnet-quick", "REVISE", blocking=(found(id="F5"),), note="a note")
    history = Reviews()
    actions, seen = review(reviewed_as("SHIP"), history=history, results={FindReview: FoundReview("tree", before)})
    assert asks(actions) == []
    assert (seen.decision, seen.stands, seen.note) == ("REVISE", True, "a note")
    assert [each.id for each in history.earlier("quick")] == ["F1"]


# Later reviews.


def rounds(*answers, by=MODEL):
    """One review after another of changing commits; the actions and the review of each."""
    history = Reviews()
    made = []
    for number, said in enumerate(answers, start=1):
        about = replace(ABOUT, iteration=number, commit=f"commit-{number}")
        made.append(review(said, by=by, history=history, about=about))
    return history, made


def test_the_next_review_is_asked_about_the_earlier_findings():
    _, (_, (actions, seen)) = rounds(reviewed_as("REVISE", issue()), reviewed_as("SHIP", prior={"F1": "fixed"}))
    [asked] = asks(actions)
    assert "- F1: medium race_condition in src/auth.py: The check is stale" in asked.prompt
    assert (seen.decision, seen.answers) == ("SHIP", {"F1": "fixed"})


def test_the_same_finding_in_other_words_converges():
    """A reviewer that finds the same again, and forgets that it had it before, cannot go on for ever."""
    reworded = issue(description="Time of check to time of use", lines=[80, 81])
    fixed_and_new = reviewed_as("REVISE", reworded, prior={"F1": "fixed"})
    _, (_, (_, seen)) = rounds(reviewed_as("REVISE", issue()), [fixed_and_new, fixed_and_new])
    assert (seen.decision, seen.note) == ("SHIP", "nothing blocking was named")
    assert [each.passed_over for each in seen.recorded] == ["new in a later review, and not of high severity"]


def test_the_same_finding_twice_not_fixed_is_told_and_keeps_the_work():
    plain = reviewed_as("REVISE", issue())
    reworded = reviewed_as("REVISE", issue(description="Use after a stale check"))
    by_id = reviewed_as("REVISE", prior={"F1": "not fixed"})
    history, made = rounds(plain, reworded, by_id)
    assert [seen.stubborn for _, seen in made] == [(), (), ("F1",)]
    assert [[each.id for each in seen.blocking] for _, seen in made] == [["F1"]] * 3
    assert history.keeps_work


def test_the_first_deep_look_may_block_with_medium_and_sees_what_quick_found():
    history = Reviews()
    review(reviewed_as("REVISE", issue()), history=history)
    deep = replace(MODEL, tier="deep", reviewer="opus")
    said = reviewed_as("REVISE", issue(file="b.py"), prior={"F1": "fixed"})
    actions, seen = review(said, by=deep, history=history)
    assert "- F1: " in asks(actions)[0].prompt
    assert (seen.decision, [each.id for each in seen.blocking]) == ("REVISE", ["F2"])


# What does not fit into one question.

BIG = "+line\n" * (MOST_SHOWN // 12)


def large_change(*, hidden=()):
    shown = FileDiff("a.py", "+a\n", 3)
    rest = tuple(FileDiff(name, "", len(BIG)) for name in ("b.py", "c.py", "d.py"))
    return Change(files=(shown, *rest, *hidden), boundary="b0")


READ = {
    ReadChange: large_change(),
    ReadFiles: lambda action: Files(tuple(FileDiff(path, BIG, len(BIG)) for path in action.paths)),
}


def test_a_large_change_is_reviewed_in_several_questions_with_whole_files_each():
    actions, seen = review(reviewed_as("SHIP"), results=READ)
    assert [each.key for each in asks(actions)] == [
        "ask-model/1/review-quick",
        "ask-model/1/review-quick-part-2",
        "ask-model/1/review-quick-part-3",
    ]
    assert [[name for name in ("a", "b", "c", "d") if f"### {name}.py" in each.prompt] for each in asks(actions)] == [
        ["a"],
        ["b", "c"],
        ["d"],
    ]
    assert seen.ships


def test_one_part_that_asks_for_changes_is_enough_and_the_issues_are_joined():
    said = [
        reviewed_as("SHIP", LOW),
        reviewed_as("REVISE", issue(file="b.py")),
        reviewed_as("SHIP", issue(file="d.py")),
    ]
    _, seen = review(said, results=READ)
    assert seen.decision == "REVISE"
    assert [(each.file, each.id) for each in seen.blocking] == [("b.py", "F1"), ("d.py", "F2")]
    assert [each.severity for each in seen.recorded] == ["low"]


def test_one_part_without_an_answer_leaves_no_decision():
    _, seen = review([reviewed_as("REVISE", issue()), FAILED, FAILED], results=READ)
    assert (seen.decision, seen.problem) == ("", "it exited with code 3")


def test_each_part_is_asked_about_the_findings_in_its_own_files():
    history = Reviews()
    earlier = history.named([found(file="b.py"), found(file="gone.py")])
    history.add(Review("quick", "r", "REVISE", blocking=earlier))
    said = [reviewed_as("SHIP", prior={"F2": "fixed"}), reviewed_as("SHIP", prior={"F1": "fixed"}), reviewed_as("SHIP")]
    actions, seen = review(said, history=history, results=READ)
    assert [[name for name in ("F1", "F2") if f"- {name}: " in each.prompt] for each in asks(actions)] == [
        ["F2"],
        ["F1"],
        [],
    ]
    assert seen.answers == {"F2": "fixed", "F1": "fixed"}


TOO_LARGE = {ReadChange: Change(files=(FileDiff("a.py", "+a\n", 3), FileDiff("huge.py", "", 900_000)), boundary="b0")}


def test_what_was_not_seen_cannot_ship():
    actions, seen = review(reviewed_as("SHIP"), results=TOO_LARGE)
    first, second = asks(actions)
    assert "- huge.py (900,000 characters)" in first.prompt
    assert "answered SHIP without having seen all of the change" in second.prompt
    assert second.prompt.count("huge.py") == first.prompt.count("huge.py")
    assert (seen.decision, seen.unseen) == ("", ("huge.py",))
    assert seen.problem == "the reviewer has not seen huge.py"


def test_what_the_reviewer_has_opened_itself_was_seen():
    _, seen = review([reviewed_as("SHIP"), reviewed_as("SHIP", opened=["huge.py"])], results=TOO_LARGE)
    assert (seen.decision, seen.unseen) == ("SHIP", ())


def test_a_finding_in_what_was_seen_is_enough_to_revise():
    actions, seen = review(reviewed_as("REVISE", issue()), results=TOO_LARGE)
    assert len(asks(actions)) == 1
    assert seen.decision == "REVISE"


def test_a_change_of_which_nothing_can_be_shown_is_asked_about_all_the_same():
    only = {ReadChange: Change(files=(FileDiff("huge.py", "", 900_000),), boundary="b0")}
    actions, seen = review(reviewed_as("SHIP", opened=["huge.py"]), results=only)
    assert len(asks(actions)) == 1
    assert seen.ships


# A program of the user's own.

PROGRAM = ReviewBy("deep", "mine", command="./review", checks=("security",))


def test_a_program_is_given_the_change_and_the_earlier_findings():
    history = Reviews()
    history.add(Review("quick", "r", "REVISE", blocking=history.named([found()])))
    actions, seen = review(reviewed_as("SHIP", prior={"F1": "fixed"}), by=PROGRAM, history=history)
    [asked] = asks(actions)
    assert (asked.base, asked.commit, asked.checks) == ("c0ffee", "deed", ("security",))
    assert [each.id for each in asked.earlier] == ["F1"]
    assert (seen.decision, seen.reviewer, seen.answers) == ("SHIP", "mine", {"F1": "fixed"})


def test_a_program_that_fails_is_started_again_once():
    actions, seen = review(FAILED, by=PROGRAM)
    assert [each.key for each in asks(actions)] == ["run-reviewer/1/deep", "run-reviewer/1/deep-try-2"]
    assert not seen.decision


@pytest.mark.parametrize("granted", [Granted(), GO_ON])
def test_a_review_is_recorded_whatever_it_comes_to(granted):
    actions, _ = review([MISSING, reviewed_as("SHIP")], results={GiveUp: [granted]})
    recorded = [each.review for each in actions if isinstance(each, RecordReview)]
    assert [each.decision for each in recorded] == (["", "SHIP"] if granted.go_on else [""])
