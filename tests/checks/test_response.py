import pytest

from ralph.checks.response import check_response, read_commit_message
from ralph.kernel.actions.agent import Said
from ralph.kernel.recipes.prompt import COMMIT_PROMPT


def said(answer, prompt="Do it."):
    """An agent's final message, which may repeat the prompt."""
    return Said(answer, prompt)


@pytest.mark.parametrize(
    ("answer", "expected", "passed"),
    [
        ("<response>DONE</response>", "DONE", True),
        ("<response>done</response>", "DONE", True),
        ("<response>\nDONE\n</response>", " DONE ", True),
        ("<response>STRASSE</response>", "straße", True),
        ("<response>NOT DONE</response>", "DONE", False),
        ("<response>DONE.</response>", "DONE", False),
        ("<response>no</response> <response>DONE</response>", "DONE", False),
        ("<response>DONE</response> <response>no</response>", "DONE", True),
        ("DONE", "DONE", False),
        ("", "DONE", False),
        ("<response>all tests pass</response>", "All tests pass", True),
        ("<response>DxNE</response>", "D.NE", False),
    ],
)
def test_the_first_tag_must_be_exactly_the_word(answer, expected, passed):
    assert check_response(said(answer), expected).passed is passed


def test_the_evidence_says_what_was_found_and_what_was_wanted():
    assert check_response(said("<response>almost</response>"), "DONE").reason == (
        "the response was almost, expected DONE"
    )
    assert check_response(said("hm"), "DONE").reason == ("no <response> tag in the final message, expected DONE")


def test_no_final_message_at_all_is_no_claim():
    assert not check_response(said(""), "DONE").passed


def test_a_message_is_read_without_what_it_repeats_of_the_prompt():
    prompt = "Say <response>DONE</response> when you are done."
    assert not check_response(said(prompt, prompt), "DONE").passed
    assert check_response(said(f"{prompt}\n<response>DONE</response>", prompt), "DONE").passed


def test_a_tag_that_is_only_talked_about_is_told_apart_from_none():
    seen = check_response(said("You asked for <response>DONE</response>, but the tests fail."), "DONE")
    assert not seen.passed
    assert seen.reason == (
        "no <response> tag in the final message stands alone on its line or ends the message as the agent's own word, "
        "expected DONE"
    )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("Add the parser", "Add the parser"),
        ("\n\n  Add the parser  \n\nIt parses.", "Add the parser"),
        ("Sure:\n<response>Add the parser</response>", "Add the parser"),
        (
            "<response>\nAdd the parser\n\nIt parses.\nIt is fast.\n</response>",
            "Add the parser\n\nIt parses.\nIt is fast.",
        ),
        ("Here is <response>Add the parser</response>, as you asked.", "Add the parser"),
        ("Fix the größe\n", "Fix the größe"),
    ],
)
def test_a_commit_message_is_the_tags_whole_content_or_the_first_line(answer, message):
    assert read_commit_message(said(answer)).text == message


@pytest.mark.parametrize("answer", ["", "\n \n", "<response></response>", "<response>  </response>\nAdd it"])
def test_no_words_are_no_commit_message(answer):
    seen = read_commit_message(said(answer))
    assert (seen.text, seen.problem) == ("", "the agent gave no commit message")


@pytest.mark.parametrize(
    "line", ['{"type":"system","subtype":"init"}', '{ "type": "result" }', '[{"a": 1}]', 'data: {"x": 1}']
)
def test_a_line_of_a_stream_is_no_commit_message(line):
    seen = read_commit_message(said(f"{line}\nAdd the parser"))
    assert seen.text == ""
    assert "looks like a line of its stream" in seen.problem


def test_an_echo_of_the_question_is_no_commit_message():
    echoed = said(f"> {COMMIT_PROMPT}\n\nAdd the parser\n", prompt=COMMIT_PROMPT)
    assert read_commit_message(echoed).text == "Add the parser"
