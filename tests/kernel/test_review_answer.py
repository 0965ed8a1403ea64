"""What a reviewer says, read: the plain form, ralph's own, Codex's, and what others make of them."""

import json

import msgspec
import pytest

from ralph.agents.answer_text import Unusable, read_answer
from ralph.kernel.review_answer import answers_in, issues_in, type_named
from ralph.kernel.review_form import ReviewAnswer
from ralph.model.reviews import ReviewIssue
from reviews import SEED_ISSUE, issue

CODEX = {
    "findings": [
        {
            "title": "[P1] Release the handle",
            "body": "The file stays open when parsing fails.",
            "confidence_score": 0.9,
            "priority": 1,
            "code_location": {"absolute_file_path": "/work/x/src/auth.py", "line_range": {"start": 3, "end": 4}},
        }
    ],
    "overall_correctness": "patch is incorrect",
    "overall_explanation": "It leaks.",
    "overall_confidence_score": 0.8,
}


def answer(*issues, decision="REVISE", **more):
    return msgspec.convert({"decision": decision, "issues": list(issues), **more}, ReviewAnswer)


def only(**changes):
    [one] = issues_in(answer(issue(**changes)))
    return one


def test_the_plain_form_is_read_with_all_its_fields():
    said = {"decision": "REVISE", "issues": [SEED_ISSUE], "summary": {"total": 1, "high": 0, "medium": 1, "low": 0}}
    given = read_answer(f"Here it is:\n```json\n{json.dumps(said)}\n```", ReviewAnswer)
    assert given.decided == "REVISE"
    assert issues_in(given) == (
        ReviewIssue(
            file="src/auth.py",
            lines=(3, 4),
            type="race_condition",
            severity="medium",
            description="The check is stale when the value is used",
            suggestion="Hold the lock",
            agent_prompt="Hold the lock from the check to the use in src/auth.py",
        ),
    )
    assert issues_in(given)[0].confidence == 100
    assert issues_in(given)[0].introduced


@pytest.mark.parametrize("decision", ["SHIP", "ship", " Revise "])
def test_a_decision_is_one_in_any_letter_case(decision):
    assert answer(decision=decision).decided == decision.strip().upper()


@pytest.mark.parametrize("said", ['{"decision": "APPROVE", "issues": []}', '{"issues": []}', '{"decision": null}'])
def test_without_a_decision_it_is_no_answer(said):
    with pytest.raises(Unusable):
        read_answer(said, ReviewAnswer)


def test_two_different_decisions_are_no_answer():
    with pytest.raises(Unusable, match="2 different answers"):
        read_answer('{"decision": "SHIP"} or {"decision": "REVISE"}', ReviewAnswer)


def test_what_codex_answers_is_understood():
    given = read_answer(json.dumps(CODEX), ReviewAnswer)
    [one] = issues_in(given)
    assert given.decided == "REVISE"
    assert (one.file, one.lines, one.severity, one.confidence) == ("/work/x/src/auth.py", (3, 4), "high", 90)
    assert one.description == "[P1] Release the handle\nThe file stays open when parsing fails."
    assert one.agent_prompt == "The file stays open when parsing fails."


@pytest.mark.parametrize(
    ("priority", "severity"), [(0, "high"), (1, "high"), (2, "medium"), (3, "low"), (None, "medium")]
)
def test_codex_has_priorities_instead_of_severities(priority, severity):
    said = CODEX | {"findings": [CODEX["findings"][0] | {"priority": priority}]}
    [one] = issues_in(read_answer(json.dumps(said), ReviewAnswer))
    assert one.severity == severity


def test_codex_ships_a_patch_that_is_correct():
    said = {"findings": [], "overall_correctness": "patch is correct"}
    assert read_answer(json.dumps(said), ReviewAnswer).decided == "SHIP"


@pytest.mark.parametrize(
    ("given", "lines"),
    [([3, 9], (3, 9)), ([9, 3], (3, 9)), ([7], (7, 7)), (7, (7, 7)), ("L3-L9", (3, 9)), (None, (0, 0)), ("", (0, 0))],
)
def test_lines_may_be_written_in_many_ways(given, lines):
    assert only(lines=given).lines == lines


@pytest.mark.parametrize(
    ("given", "confidence"),
    [(95, 95), (0.95, 95), (1.0, 100), (1, 1), (250, 100), (-3, 0), ("90 %", 90), ("sure", 100), (None, 100)],
)
def test_a_confidence_is_a_share_of_a_hundred(given, confidence):
    assert only(confidence=given).confidence == confidence


@pytest.mark.parametrize(
    ("given", "severity"),
    [("high", "high"), ("Critical", "high"), ("P1", "high"), ("medium", "medium"), ("odd", "medium"), ("nit", "low")],
)
def test_severities_have_many_names(given, severity):
    assert only(severity=given).severity == severity


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("race_condition", "race_condition"),
        ("Race Conditions", "race_condition"),
        ("memory-leaks", "memory_leak"),
        ("obvious_bugs", "logic_bug"),
        ("types", "types"),
        ("type", "types"),
        ("performance", "other"),
        ("", "logic_bug"),
    ],
)
def test_types_have_many_names(given, kind):
    assert only(type=given).type == kind
    assert type_named(given) == kind


@pytest.mark.parametrize(("given", "introduced"), [(True, True), (False, False), (None, True), ("false", False)])
def test_what_is_not_said_to_be_old_is_new(given, introduced):
    assert only(introduced=given).introduced is introduced


def test_words_of_any_type_are_text_and_never_endless():
    one = only(description=["a", 1], suggestion=None, quote="x" * 100_000)
    assert one.description == "['a', 1]"
    assert one.suggestion == ""
    assert len(one.quote) == 20_000


def test_answers_on_earlier_findings_are_read_by_their_ids():
    said = answer(
        priorFindings=[
            {"id": "f1", "answer": "not_fixed"},
            {"id": "F2", "answer": "Withdrawn"},
            {"id": "F3", "answer": "fixed"},
            {"id": "F9", "answer": "fixed"},
            {"id": "F4", "answer": "perhaps"},
        ]
    )
    assert answers_in(said, ["F1", "F2", "F3", "F4"]) == {"F1": "not fixed", "F2": "withdrawn", "F3": "fixed"}


def test_of_two_answers_on_one_finding_the_worse_counts():
    said = [{"id": "F1", "answer": "not fixed"}, {"id": "F1", "answer": "fixed"}]
    assert answers_in(answer(priorFindings=said), ["F1"]) == {"F1": "not fixed"}
    assert answers_in(answer(priorFindings=said[::-1]), ["F1"]) == {"F1": "not fixed"}
