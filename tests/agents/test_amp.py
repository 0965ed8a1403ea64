"""How Amp is called: `-x <prompt>` at the end, as its documentation wants it, or the prompt on stdin."""

import pytest

from ralph.agents.adapter import ARGV_LIMIT, Call
from ralph.agents.amp import Amp


def called(prompt, *flags, stream=True):
    return Amp().invocation(["amp"], list(flags), Call(prompt, "in", "out", stream))


def test_the_prompt_is_the_last_word_after_the_users_flags():
    assert called("Do it.", "--mode", "high").argv == [
        *("amp", "--stream-json", "--dangerously-allow-all", "--mode", "high", "-x", "Do it.")
    ]


@pytest.mark.parametrize(("length", "fits"), [(ARGV_LIMIT, True), (ARGV_LIMIT + 1, False)])
def test_a_prompt_goes_in_on_stdin_where_an_argument_ends(length, fits):
    found = called("x" * length)
    assert (found.argv[-1] != "-x", found.on_stdin) == (fits, not fits)


@pytest.mark.parametrize("prompt", ["- a list", "--help", "a\0b"])
def test_a_prompt_that_cannot_be_an_argument_goes_in_on_stdin(prompt):
    found = called(prompt)
    assert (found.argv[-1], found.on_stdin) == ("-x", True)


def test_bytes_that_are_not_utf8_have_a_length_too():
    assert not called("\udcff").on_stdin


def test_its_model_is_chosen_by_a_mode():
    assert Amp().model_flags("high") == ["--mode", "high"]
    assert Amp().model_flags(None) == []
