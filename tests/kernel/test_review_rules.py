"""Which findings stand in the way, and what that makes of the reviewer's decision."""

import pytest
from msgspec.structs import replace

from ralph.kernel.actions.reviews import Anchor
from ralph.kernel.review_rules import Asked, weighed
from ralph.kernel.stage_text import TaskText
from ralph.model.reviews import ReviewBy
from reviews import MODEL, found

TASK = TaskText("T-1", "Log in", "People log in with a password.", "Login works", ("It returns 401", "It is fast"))
FIRST = Asked(MODEL, TASK)
EARLIER = found(id="F1", severity="medium")
SECOND = Asked(MODEL, TASK, (EARLIER,), is_first=False)


def weigh(*issues, said="REVISE", asked=FIRST, answers=None, problem=""):
    anchors = [Anchor(each.file, each.lines, problem) for each in issues]
    return weighed(said, issues, anchors, answers or {}, asked)


@pytest.mark.parametrize("severity", ["medium", "high"])
def test_a_finding_that_is_introduced_anchored_and_sure_blocks(severity):
    seen = weigh(found(severity=severity))
    assert (seen.decision, len(seen.blocking), seen.names_nothing) == ("REVISE", 1, False)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"introduced": False}, "it was there before the change"),
        ({"severity": "low"}, "its severity is low"),
        ({"confidence": 79}, "the reviewer is 79 % sure"),
        ({"type": "other"}, "it names no defect that was looked for, and no criterion that is not met"),
        ({"type": "architecture"}, "it names no defect that was looked for, and no criterion that is not met"),
    ],
)
def test_what_does_not_block_is_recorded_with_the_reason(changes, why):
    seen = weigh(found(severity=changes.pop("severity", "high"), **changes))
    assert seen.blocking == ()
    assert [each.passed_over for each in seen.recorded] == [why]
    assert seen.names_nothing


def test_what_is_not_anchored_is_recorded():
    seen = weigh(found(severity="high"), problem="the code that it quotes is not there")
    assert [each.passed_over for each in seen.recorded] == ["the code that it quotes is not there"]


def test_a_confidence_of_80_is_enough():
    assert weigh(found(confidence=80)).blocking


def test_ship_with_a_blocking_finding_is_revise():
    assert weigh(found(severity="high"), said="SHIP").decision == "REVISE"


def test_ship_without_one_is_ship():
    seen = weigh(found(severity="low"), said="SHIP")
    assert (seen.decision, seen.names_nothing) == ("SHIP", False)


@pytest.mark.parametrize("requirement", ["1", "criterion 2", "#1", "It returns 401", "it RETURNS 401.", "login works"])
def test_a_criterion_that_is_not_met_blocks_whatever_its_type(requirement):
    assert weigh(found(type="other", requirement=requirement)).blocking


@pytest.mark.parametrize("requirement", ["3", "0", "It also logs", ""])
def test_a_wish_for_more_than_the_task_asks_never_blocks(requirement):
    assert not weigh(found(type="other", severity="high", requirement=requirement)).blocking


def test_what_a_reviewer_was_told_to_look_for_is_a_defect():
    looks = replace(MODEL, checks=("licence", "accessibility"))
    asked = FIRST._replace(by=looks)
    assert weigh(found(type="accessibility"), asked=asked).blocking
    assert weigh(found(type="other"), asked=asked).blocking
    assert not weigh(found(type="accessibility")).blocking


def test_a_final_review_always_looks_for_accessibility_and_architecture():
    final = FIRST._replace(by=ReviewBy("final", "opus"))
    assert weigh(found(type="architecture"), asked=final).blocking
    assert weigh(found(type="accessibility"), asked=final).blocking


# Later reviews.


def test_all_fixed_and_nothing_new_of_high_severity_ships():
    seen = weigh(found(file="b.py"), asked=SECOND, answers={"F1": "fixed"})
    assert seen.blocking == ()
    assert [each.passed_over for each in seen.recorded] == ["new in a later review, and not of high severity"]


def test_a_new_finding_of_high_severity_blocks_a_later_review():
    seen = weigh(found(file="b.py", severity="high"), asked=SECOND, answers={"F1": "fixed"}, said="SHIP")
    assert [each.id for each in seen.blocking] == [""]
    assert seen.decision == "REVISE"


def test_what_is_not_fixed_blocks_without_being_told_again():
    seen = weigh(asked=SECOND, answers={"F1": "not fixed"}, said="SHIP")
    assert (seen.decision, seen.blocking) == ("REVISE", (EARLIER,))


def test_what_is_not_fixed_needs_no_new_quote():
    seen = weigh(found(id="F1"), asked=SECOND, answers={"F1": "not fixed"}, problem="the code is not there")
    assert [each.id for each in seen.blocking] == ["F1"]


def test_what_is_reported_again_is_not_fixed_whatever_is_said_of_it():
    seen = weigh(found(id="F1"), asked=SECOND, answers={"F1": "fixed"})
    assert seen.answers == {"F1": "not fixed"}
    assert [each.id for each in seen.blocking] == ["F1"]


def test_a_withdrawn_finding_blocks_no_more():
    seen = weigh(asked=SECOND, answers={"F1": "withdrawn"}, said="SHIP")
    assert (seen.decision, seen.blocking) == ("SHIP", ())


def test_a_rest_of_low_severity_does_not_block():
    seen = weigh(found(id="F1", severity="low"), asked=SECOND, said="SHIP")
    assert (seen.decision, seen.blocking) == ("SHIP", ())


def test_an_id_that_no_earlier_finding_has_means_nothing():
    seen = weigh(found(id="F7", file="b.py", severity="high"), asked=SECOND, answers={"F1": "fixed"})
    assert [each.id for each in seen.blocking] == [""]
    assert seen.answers == {"F1": "fixed"}


def test_what_is_answered_as_not_fixed_and_told_again_without_its_id_is_one_finding():
    again = found(description=f"Still: {EARLIER.description}", severity="high")
    seen = weigh(again, asked=SECOND, answers={"F1": "not fixed"})
    assert [each.id for each in seen.blocking] == ["F1"]


def test_another_finding_beside_one_that_is_not_fixed_is_new():
    other = found(description="nobody closes the socket", severity="high")
    seen = weigh(other, asked=SECOND, answers={"F1": "not fixed"})
    assert [each.id for each in seen.blocking] == ["", "F1"]
    assert seen.blocking[1] == EARLIER


def test_the_same_finding_in_other_words_is_the_same_finding():
    again = found(description="Time of check is not time of use", lines=(40, 41), severity="medium")
    seen = weigh(again, asked=SECOND._replace(earlier=(EARLIER, found(id="F2", type="security"))))
    assert [each.id for each in seen.blocking] == ["F1"]
    assert seen.answers == {"F1": "not fixed"}


def test_of_two_that_it_may_be_it_is_the_one_with_more_words_in_common():
    other = found(id="F2", description="The second counter is read without its lock")
    asked = SECOND._replace(earlier=(EARLIER, other))
    seen = weigh(found(description="Still no lock around the counter"), asked=asked)
    assert [each.id for each in seen.blocking] == ["F2"]


def test_one_that_was_answered_is_not_taken_for_a_new_one():
    seen = weigh(found(description="Another race in the same file"), asked=SECOND, answers={"F1": "fixed"})
    assert seen.blocking == ()


@pytest.mark.parametrize("other", [{"file": "b.py"}, {"type": "security"}, {"requirement": "1"}])
def test_another_file_type_or_requirement_is_another_finding(other):
    seen = weigh(found(**other), asked=SECOND)
    assert [each.id for each in seen.blocking] == [""]


def test_a_reviewer_without_a_word_on_earlier_findings_is_taken_at_its_decision():
    new = found(file="b.py", severity="medium")
    assert weigh(new, asked=SECOND).decision == "REVISE"
    assert weigh(new, asked=SECOND, said="SHIP").decision == "SHIP"
    assert weigh(found(severity="medium"), asked=SECOND, said="SHIP").decision == "SHIP"
    assert weigh(replace(new, severity="high"), asked=SECOND, said="SHIP").decision == "REVISE"


def test_without_earlier_findings_silence_says_nothing():
    """The first review shipped, and another tier sent the work back: a second one blocks only with high findings."""
    asked = SECOND._replace(earlier=())
    assert not weigh(found(), asked=asked).blocking
    assert weigh(found(severity="high"), asked=asked).blocking


def test_a_plain_answer_must_be_anchored_also_if_it_is_recognised():
    seen = weigh(found(), asked=SECOND, problem="the code that it quotes is not there")
    assert seen.blocking == ()
