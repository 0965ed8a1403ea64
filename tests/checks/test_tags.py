import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.checks.tags import IN_ONE_PIECE, LONGEST, first_tag

PROMPT = "Make the tests pass.\nWhen they do, answer <response>DONE</response> and nothing else."


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    """What the first tag in a text says."""
    path = tmp_path_factory.mktemp("said") / "stream"

    def read(text, prompt=""):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return first_tag(path, "response", prompt=prompt)

    return read


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("<response>DONE</response>", "DONE"),
        ("well <RESPONSE>done</Response> then", "done"),
        ("<response>\n  DONE \n</response>", "DONE"),
        ("<response>A</response><response>B</response>", "A"),
        ("<response></response>", ""),
        ("<response>NOT DONE</response>", "NOT DONE"),
        ("<response>DONE", None),
        ("DONE</response>", None),
        ("<response >DONE</response>", None),
        ("&lt;response&gt;DONE&lt;/response&gt;", None),
        ("", None),
        ("<response>größer</response>", "größer"),
    ],
)
def test_the_first_tag_trimmed(spoken, text, word):
    assert spoken(text) == word


def test_no_file_no_tag(tmp_path):
    assert first_tag(tmp_path / "none", "response") is None


def test_bytes_that_are_not_utf_8_stand_as_replacements(spoken):
    assert spoken(b"\xff\xfe <response>D\xffNE</response>") == "D�NE"


def test_a_tag_that_is_never_closed_hides_no_later_one(spoken):
    assert spoken("<response>" + "x" * (LONGEST + 1) + "<response>DONE</response>") == "DONE"


@pytest.mark.parametrize("before", [IN_ONE_PIECE - 10, 3 * IN_ONE_PIECE])
def test_a_tag_is_found_behind_any_amount_of_output(spoken, before):
    assert spoken(b"." * before + b"<response>DONE</response>") == "DONE"


@pytest.mark.parametrize(
    "echo",
    [
        PROMPT,
        "> " + PROMPT.replace("\n", "\n> "),
        f"User: {PROMPT}\n\nAssistant: I am not there yet.",
        "Prompt:\n```\n" + PROMPT + "\n```\nworking...",
        PROMPT.replace(" ", "\n"),
        PROMPT + "\n" + PROMPT,
    ],
)
def test_an_echo_of_the_prompt_is_no_answer(spoken, echo):
    assert spoken(echo, PROMPT) is None


@pytest.mark.parametrize(
    "answer",
    [
        "<response>DONE</response>",
        f"{PROMPT}\n\nAll tests pass.\n<response>DONE</response>\n",
        f"{PROMPT}\n<response>DONE</response>",
        "I answer <response>DONE</response> since the tests pass.",
    ],
)
def test_the_agents_own_tag_counts_beside_an_echo(spoken, answer):
    assert spoken(answer, PROMPT) == "DONE"


@pytest.mark.parametrize(
    "prompt", ["<response>DONE</response> is what you say at the end.", "At the end say <response>DONE</response>"]
)
def test_a_tag_at_the_edge_of_the_prompt_is_told_from_the_answer(spoken, prompt):
    assert spoken(prompt, prompt) is None
    assert spoken(f"{prompt}\nok\n<response>DONE</response>", prompt) == "DONE"


words = st.text(alphabet="ab c\n", min_size=3, max_size=30).filter(str.strip)


@given(words, words, words, words)
def test_an_echo_is_never_an_answer_whatever_stands_around_it(spoken, before, after, prefix, suffix):
    prompt = f"{before}<response>DONE</response>{after}"
    assert spoken(f"{prefix}\n{prompt}\n{suffix}", prompt) is None
