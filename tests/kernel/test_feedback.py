import pytest
from hypothesis import given
from hypothesis import strategies as st

from playing import crashed, failed
from ralph.kernel.feedback import GAP, NONE, Note, agent_note, compose, guardrail_note
from ralph.model.evidence import Evidence

texts = st.text(min_size=1, max_size=20)
notes = st.builds(Note, st.sampled_from(["APPEND", "PREPEND", "REPLACE"]), texts)


def composed(base, *feedback, **options):
    return compose(base, feedback, **{"iteration": 1, "limit": 3, **options})


@given(st.text())
def test_without_feedback_the_prompt_is_exactly_the_users(base):
    assert composed(base) == base


@pytest.mark.parametrize(
    ("place", "expected"), [("APPEND", "base\n\nnew"), ("PREPEND", "new\n\nbase"), ("REPLACE", "new")]
)
def test_each_place_is_two_newlines_apart(place, expected):
    assert composed("base", Note(place, "new")) == expected


def test_prepends_then_base_then_appends_each_in_order():
    feedback = [Note("APPEND", "a1"), Note("PREPEND", "p1"), Note("APPEND", "a2"), Note("PREPEND", "p2")]
    assert composed("base", *feedback) == "p1\n\np2\n\nbase\n\na1\n\na2"


def test_replaces_stand_in_the_place_of_the_base():
    feedback = [Note("REPLACE", "r1"), Note("APPEND", "a"), Note("PREPEND", "p"), Note("REPLACE", "r2")]
    assert composed("base", *feedback) == "p\n\nr1\n\nr2\n\na"


@pytest.mark.parametrize(
    ("iteration", "line"), [(1, "Iteration 1 of 3, 2 remaining."), (3, "Iteration 3 of 3, 0 remaining.")]
)
def test_the_count_stands_before_everything(iteration, line):
    prompt = composed("base", Note("PREPEND", "p"), iteration=iteration, count=True)
    assert prompt == f"{line}\n\np\n\nbase"


@given(st.text(), st.lists(notes), st.booleans())
def test_nothing_is_edited_only_joined(base, feedback, count):
    prompt = compose(base, tuple(feedback), iteration=2, limit=3, count=count)
    blocks = [note.text for place in ("PREPEND", "REPLACE", "APPEND") for note in feedback if note.place == place]
    if not any(note.place == "REPLACE" for note in feedback):
        blocks.insert(sum(note.place == "PREPEND" for note in feedback), base)
    assert prompt == GAP.join(["Iteration 2 of 3, 1 remaining."] * count + blocks)


def test_the_guardrail_message_has_the_documented_form():
    note = guardrail_note(failed("make test", output="boom\n", code=2), "PREPEND", "Fix only the test.")
    assert note == Note(
        "PREPEND",
        'Guardrail "make test" failed with exit code 2.\n'
        "Hint: Fix only the test.\n"
        "Output file: the.log\n"
        "Output (truncated):\n"
        "boom\n",
    )


def test_no_hint_no_hint_line():
    assert "Hint" not in guardrail_note(failed(), "APPEND", "").text


def test_a_guardrail_without_an_exit_code_says_why():
    seen = Evidence("make test", passed=False, reason="it ran longer than timeouts.guardrail (1 s) and was ended")
    first = guardrail_note(seen, "APPEND", "").text.splitlines()[0]
    assert first == 'Guardrail "make test" failed: it ran longer than timeouts.guardrail (1 s) and was ended.'


def test_a_failed_agent_is_appended_with_the_end_of_its_output_if_there_is_one():
    said = agent_note(crashed(tail="last words"))
    assert said.place == "APPEND"
    assert said.text.endswith("\nThe end of its output:\nlast words")
    assert "output" not in agent_note(crashed()).text


def test_no_feedback_is_empty():
    assert NONE == ()
