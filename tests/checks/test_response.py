import pytest

from ralph.agents.run import CONTEXT, OUTPUT, STREAM
from ralph.checks.response import check_response, read_commit_message
from ralph.kernel.recipes.prompt import COMMIT_PROMPT


@pytest.fixture
def said(tmp_path):
    """The directory of an attempt whose agent said this: as its final message, or as all of its plain output."""

    def write(answer, *, plain=False, prompt="Do it."):
        (tmp_path / CONTEXT).write_text(prompt)
        (tmp_path / (STREAM if plain else OUTPUT)).write_text(answer)
        return tmp_path

    return write


@pytest.mark.parametrize("plain", [False, True])
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
def test_the_first_tag_must_be_exactly_the_word(said, answer, expected, passed, plain):
    assert check_response(said(answer, plain=plain), expected, plain=plain).passed is passed


def test_the_evidence_says_what_was_found_and_what_was_wanted(said):
    assert check_response(said("<response>almost</response>"), "DONE", plain=False).reason == (
        "the response was almost, wanted DONE"
    )
    assert check_response(said("hm"), "DONE", plain=False).reason == (
        "no <response> tag in the final message, wanted DONE"
    )


def test_no_final_message_at_all_is_no_claim(tmp_path):
    assert not check_response(tmp_path, "DONE", plain=False).passed


def test_plain_output_is_read_without_the_echo_of_the_prompt(said):
    prompt = "Say <response>DONE</response> when you are done."
    assert not check_response(said(prompt, plain=True, prompt=prompt), "DONE", plain=True).passed
    assert check_response(
        said(f"{prompt}\n<response>DONE</response>", plain=True, prompt=prompt), "DONE", plain=True
    ).passed


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("Add the parser", "Add the parser"),
        ("\n\n  Add the parser  \n\nIt parses.", "Add the parser"),
        ("Sure:\n<response>Add the parser</response>", "Add the parser"),
        ("<response>\nAdd the parser\n\nIt parses.\n</response>", "Add the parser"),
        ("Fix the größe\n", "Fix the größe"),
    ],
)
def test_a_commit_message_is_the_tags_content_or_the_first_line(said, answer, message, plain):
    assert read_commit_message(said(answer, plain=plain), plain=plain).text == message


@pytest.mark.parametrize("answer", ["", "\n \n", "<response></response>", "<response>  </response>\nAdd it"])
def test_no_words_are_no_commit_message(said, answer):
    seen = read_commit_message(said(answer), plain=False)
    assert (seen.text, seen.problem) == ("", "the agent gave no commit message")


@pytest.mark.parametrize(
    "line", ['{"type":"system","subtype":"init"}', '{ "type": "result" }', '[{"a": 1}]', 'data: {"x": 1}']
)
def test_a_line_of_a_stream_is_no_commit_message(said, line):
    seen = read_commit_message(said(f"{line}\nAdd the parser", plain=True), plain=True)
    assert seen.text == ""
    assert "looks like a line of its stream" in seen.problem


def test_an_echo_of_the_question_is_no_commit_message(said):
    directory = said(f"> {COMMIT_PROMPT}\n\nAdd the parser\n", plain=True, prompt=COMMIT_PROMPT)
    assert read_commit_message(directory, plain=True).text == "Add the parser"
