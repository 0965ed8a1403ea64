"""The review recipe: one review, and what its verdict says."""

from playing import GO_ON, play, reviewed_as
from ralph.kernel.actions.checks import Answer, AskModel
from ralph.kernel.actions.waiting import GiveUp, Granted
from ralph.kernel.recipes.review import ReviewRun, review_loop
from ralph.kernel.stage_text import TaskText
from ralph.model.reviews import ReviewBy
from ralph.model.verdicts import Failed, MustRevise, Verified, exit_code
from reviews import issue

RUN = ReviewRun(ReviewBy("final", "opus"), "c0ffee", "deed", TaskText("review", "The change"))


def test_ship_says_that_nothing_was_run():
    _, verdict = play(review_loop(RUN))
    assert isinstance(verdict, Verified)
    assert (verdict.proof, verdict.commit, exit_code(verdict)) == ("word", "deed", 0)
    assert verdict.reason == "SHIP: reviewed by opus after 1 look; nothing was run"


def test_a_ship_although_revise_was_said_tells_why():
    _, verdict = play(review_loop(RUN), {AskModel: reviewed_as("REVISE")})
    assert verdict.reason == "SHIP: reviewed by opus (nothing blocking was named) after 1 look; nothing was run"


def test_revise_is_exit_code_1():
    _, verdict = play(review_loop(RUN), {AskModel: reviewed_as("REVISE", issue(), issue(file="b.py"))})
    assert isinstance(verdict, MustRevise)
    assert (exit_code(verdict), verdict.reason) == (1, "2 findings of opus to fix")


def test_no_review_is_a_failure():
    _, verdict = play(review_loop(RUN), {AskModel: Answer(reason="it exited with code 3", was_asked=False)})
    assert isinstance(verdict, Failed)
    assert (exit_code(verdict), verdict.reason) == (9, "there is no review: it exited with code 3")


def test_a_run_that_is_gone_on_with_looks_again():
    failed = Answer(reason="it exited with code 3", was_asked=False)
    actions, verdict = play(
        review_loop(RUN), {AskModel: [failed, failed, reviewed_as("SHIP")], GiveUp: [GO_ON, Granted()]}
    )
    assert isinstance(verdict, Verified)
    assert verdict.iterations == 2
    assert actions[-1].key == "review/2/final"
