"""Seed 001, "Completion Detection": each test is named after its line."""

import pytest

from ralph.testing import done, edits, says

AGENTS = [{"format": "claude"}, {"format": "codex"}, {"format": "amp"}, {"format": "text"}]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent["format"])
def test_look_for_the_response_tag_in_agent_output(loop, agent):
    ended = loop(says("DONE, I think"), {"final": "All is well.\n<response>DONE</response>\nBye."}, scripted=agent)
    assert ended.code == 0
    assert len(ended.prompts) == 2


def test_case_insensitive_match_against_completion_response(loop):
    assert loop(done("all Tests PASS"), completionResponse="All tests pass", maximumIterations=1).code == 0


@pytest.mark.parametrize("word", ["NOT DONE", "DONE!", "DONEDONE", "D O N E", ""])
def test_exact_match_against_completion_response(loop, word):
    assert loop(done(word), maximumIterations=1).code == 1


def test_the_completion_response_is_literal_text_not_a_pattern(loop):
    assert loop(done("DONE"), completionResponse="D.NE", maximumIterations=1).code == 1


@pytest.mark.parametrize(("first", "second", "code"), [("DONE", "no", 0), ("no", "DONE", 1)])
def test_if_multiple_tags_the_first_match_wins(loop, first, second, code):
    final = {"final": f"<response>{first}</response> and <response>{second}</response>"}
    assert loop(final, maximumIterations=1).code == code


@pytest.mark.parametrize("final", ["<RESPONSE>DONE</Response>", "<response>DONE</response></response>"])
def test_extraction_ignores_case_and_ends_at_the_first_closing_tag(loop, final):
    assert loop({"final": final}, maximumIterations=1).code == 0


def test_completion_detection_occurs_only_after_guardrails_pass_for_that_iteration(loop):
    ended = loop(done(), edits({"made": ""}) | says("hm"), done(), guardrails=[{"command": "test -f made"}])
    assert ended.code == 0
    assert len(ended.prompts) == 3
    kinds = [[action["kind"] for action in each["actions"]] for each in loop.show()["iterations"]]
    assert kinds == [["run-agent", "run-command", "read-tree"], *[["run-agent", "run-command", "read-response"]] * 2]
