"""What is known of earlier reviews when the next one is made."""

from msgspec.structs import replace

from ralph.kernel.review_history import Reviews, review_feedback
from ralph.model.reviews import Review
from reviews import found

SECURITY = found(
    type="security", file="src/db.py", lines=(9, 9), description="Input in a query", agent_prompt="Bind it"
)


def review(tier="quick", *blocking, answers=None, **more):
    decision = more.pop("decision", "REVISE" if blocking else "SHIP")
    return Review(tier, "r", decision, blocking=tuple(blocking), answers=answers or {}, **more)


def after(*reviews):
    history = Reviews()
    for each in reviews:
        each = replace(each, blocking=history.named(each.blocking))  # noqa: PLW2901 - as a review is recorded
        history.add(each)
    return history


def ids(issues):
    return [each.id for each in issues]


def test_every_new_finding_gets_an_id_of_its_own_over_all_tiers():
    history = after(review("quick", found(), SECURITY), review("deep", found(file="c.py")))
    assert ids(history.all_earlier()) == ["F1", "F2", "F3"]
    assert ids(history.named([found(), replace(found(), id="F2"), found()])) == ["F4", "F2", "F5"]


def test_a_tier_is_asked_about_its_own_findings_and_deep_about_those_of_quick_as_well():
    history = after(review("quick", found()), review("deep", SECURITY), review("final", found(file="c.py")))
    assert ids(history.earlier("quick")) == ["F1"]
    assert ids(history.earlier("deep")) == ["F1", "F2"]
    assert ids(history.earlier("final")) == ["F3"]


def test_rounds_are_counted_for_each_tier_and_only_with_a_decision():
    history = after(review("quick", found()), review("quick", decision=""), review("deep"), review("quick"))
    assert [history.rounds(tier) for tier in ("quick", "deep", "final")] == [2, 1, 0]


def test_what_was_fixed_is_asked_about_again_and_what_was_withdrawn_is_not():
    history = after(review("quick", found(), SECURITY), review("quick", answers={"F1": "fixed", "F2": "withdrawn"}))
    assert ids(history.earlier("quick")) == ["F1"]
    assert ids(history.all_earlier()) == ["F1"]


def test_a_finding_that_is_not_fixed_twice_keeps_the_work():
    history = after(review("quick", found()))
    assert not history.keeps_work
    once = {"F1": "not fixed"}
    assert history.twice_not_fixed(once) == ()
    history.add(review("quick", replace(found(), id="F1"), answers=once))
    assert not history.keeps_work
    assert history.twice_not_fixed(once) == ("F1",)
    history.add(review("quick", replace(found(), id="F1"), answers=once, stubborn=("F1",)))
    assert history.keeps_work
    assert ids(history.stubborn) == ["F1"]
    history.add(review("quick", answers={"F1": "fixed"}))
    assert not history.keeps_work


def test_a_review_that_stands_is_no_new_round_and_no_new_answer():
    first = review("quick", found())
    history = after(first)
    history.add(replace(first, blocking=history.earlier("quick"), stands=True))
    assert history.rounds("quick") == 1
    assert ids(history.all_earlier()) == ["F1"]
    # What it answered was heard when it was made.
    history.add(replace(first, blocking=(), answers={"F1": "withdrawn"}, stands=True))
    assert ids(history.all_earlier()) == ["F1"]


def test_a_review_of_another_run_that_stands_is_the_first_round_of_this_one():
    history = Reviews()
    other = replace(review("quick", replace(found(), id="F7")), stands=True)
    history.add(replace(other, blocking=history.adopted(other.blocking)))
    assert history.rounds("quick") == 1
    assert ids(history.earlier("quick")) == ["F1"]


def test_ids_of_another_run_mean_nothing_here():
    history = after(review("quick", found()))
    [one] = history.adopted([replace(SECURITY, id="F1")])
    [same] = history.adopted([replace(found(), id="F1")])
    assert (one.id, same.id) == ("F2", "F1")


def test_the_feedback_begins_with_what_to_do_and_ends_with_what_must_stay_fixed():
    history = after(review("quick", found()), review("deep", SECURITY))
    [note] = review_feedback(replace(review("deep", SECURITY), blocking=history.earlier("deep")[1:]), history)
    assert note.text == (
        "The deep review of the previous attempt asks for changes:\n"
        "1. src/db.py:9: Bind it\n"
        "\n"
        "Findings of earlier reviews that must stay fixed:\n"
        "- src/auth.py: The check is stale when the value is used"
    )


def test_a_finding_without_a_prompt_is_told_by_what_it_describes():
    history = Reviews()
    [note] = review_feedback(review("quick", found(agent_prompt="", lines=(0, 0))), history)
    assert note.text.endswith("1. src/auth.py: The check is stale when the value is used Hold the lock")
