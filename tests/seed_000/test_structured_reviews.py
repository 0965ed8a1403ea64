"""The boxes on structured reviews, each with a test of its name."""

import json

import pytest
from msgspec.structs import replace

from ralph.kernel.review_history import Reviews, review_feedback
from ralph.model.reviews import Review
from review_scene import INJECTION, says, scenes


@pytest.fixture
def scene(tmp_path, monkeypatch):
    yield from scenes(tmp_path, monkeypatch)


def model_of(start):
    return start.argv[start.argv.index("--model") + 1]


def test_reviews_return_json_with_decision_and_issues(scene):
    scene.answers(says("REVISE", INJECTION))
    _, review = scene.review(tier="quick")
    assert review.decision == "REVISE"
    assert len(review.issues) == review.summary.total == 1
    [start] = scene.reviewer.starts
    schema = json.loads(start.argv[start.argv.index("--json-schema") + 1])
    assert schema["properties"]["decision"]["enum"] == ["SHIP", "REVISE"]


def test_issues_include_file_lines_type_severity(scene):
    scene.answers(says("REVISE", INJECTION))
    _, review = scene.review(tier="quick")
    [one] = review.issues
    assert (one.file, one.lines, one.type, one.severity) == ("app.py", (5, 5), "security", "high")


def test_agent_prompt_is_extracted_for_retries(scene):
    scene.answers(says("REVISE", INJECTION))
    _, view = scene.review(tier="quick")
    history = Reviews()
    review = Review("quick", "r", view.decision, blocking=history.named([replace(each, id="") for each in view.issues]))
    history.add(review)
    [note] = review_feedback(review, history)
    assert f"1. app.py:5: {INJECTION['agentPrompt']}" in note.text


def test_quick_review_uses_sonnet(scene):
    scene.answers(says("SHIP"))
    scene.review(tier="quick")
    [start] = scene.reviewer.starts
    assert model_of(start) == "sonnet"


def test_deep_review_uses_opus(scene):
    scene.answers(says("SHIP"), says("SHIP"))
    scene.review(tier="deep")
    scene.review(tier="final")
    assert [model_of(start) for start in scene.reviewer.starts] == ["opus", "opus"]
