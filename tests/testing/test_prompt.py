"""Where the prompt comes from."""

import os
import pty
import subprocess

import pytest


def prompt_seen(agent, *args, **options):
    subprocess.run([agent.command, *args], capture_output=True, timeout=60, check=True, **options)
    return agent.prompts[-1]


def test_standard_input_comes_first(scripted):
    assert prompt_seen(scripted({}), "not this", input=b"this\n") == "this\n"


def test_without_standard_input_the_last_argument_is_taken(scripted):
    assert prompt_seen(scripted({}), "--verbose", "this", stdin=subprocess.DEVNULL) == "this"


@pytest.mark.parametrize("flag", ["-p", "-x", "--prompt"])
def test_the_argument_of_the_prompt_flag_is_taken(scripted, flag):
    assert prompt_seen(scripted({}), flag, "this", "--verbose", stdin=subprocess.DEVNULL) == "this"


def test_a_prompt_flag_before_another_flag_has_no_argument(scripted):
    assert prompt_seen(scripted({}), "-p", "--verbose", "this", stdin=subprocess.DEVNULL) == "this"


def test_for_codex_p_is_a_profile(scripted):
    agent = scripted({}, format="codex")
    assert prompt_seen(agent, "exec", "-p", "fast", "this", stdin=subprocess.DEVNULL) == "this"


def test_a_terminal_is_not_read(scripted):
    ours, theirs = pty.openpty()
    try:
        assert prompt_seen(scripted({}), "this", stdin=theirs) == "this"
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_closed_standard_input_is_none(scripted):
    agent = scripted({})
    subprocess.run(["sh", "-c", '"$0" this <&-', agent.command], capture_output=True, timeout=60, check=True)
    assert agent.prompts == ["this"]


def test_bytes_that_are_not_utf8_are_replaced(scripted):
    assert prompt_seen(scripted({}), input=b"a\xffb") == "a\ufffdb"


def test_a_long_prompt_is_read_in_full(scripted):
    prompt = "0123456789" * 500_000
    assert prompt_seen(scripted({}), input=prompt.encode()) == prompt


def test_no_prompt_at_all_is_empty(scripted):
    assert prompt_seen(scripted({}), stdin=subprocess.DEVNULL) == ""
