"""A prompt that does not tell the agent how to say that it is done."""

from ralph.kernel.feedback import tag_note
from ralph.testing import done, says

BLOCK = "\n\nWhen all of the work is done, end your final message with <response>FIN</response> on a line of its own."


def test_the_start_warns_and_the_next_prompt_names_the_tag(loop):
    ended = loop(says("I did it."), says("Again."), done("FIN"), args=("-p", "Build it."), completionResponse="FIN")
    assert ended.code == 0, ended.err
    assert ended.prompts == ["Build it.", f"Build it.{BLOCK}", f"Build it.{BLOCK}"]
    [line] = [line for line in ended.err.splitlines() if "does not name" in line]
    assert line.startswith("ralph: the prompt does not name <response>FIN</response>")


def test_the_block_comes_after_the_guardrail_that_failed(loop):
    rail = {"command": "test -f made"}
    ended = loop(says("Hm."), done(), args=("-p", "Build it."), guardrails=[rail], maximumIterations=2)
    first, second = ended.prompts
    assert first == "Build it."
    assert 'Guardrail "test -f made" failed' in second
    assert second.endswith("\n\n" + tag_note("DONE").text)


def test_a_prompt_that_names_the_tag_stays_as_it_was_written(loop):
    prompt = "Build it. Put DONE into a <response> tag then."
    ended = loop(says("Hm."), done(), args=("-p", prompt))
    assert ended.prompts == [prompt, prompt]
    assert "does not name" not in ended.err


def test_an_agent_that_says_the_tag_unasked_is_not_told(loop):
    ended = loop(done(), done(), args=("-p", "Build it."), guardrails=[{"command": "test -f x"}], maximumIterations=2)
    assert tag_note("DONE").text not in ended.prompts[1]


def test_the_next_line_of_init_contains_the_tag(loop):
    ended = loop.ralph("init", "--yes", "--agent", "claude", "--completion", "FIN")
    [line] = [line for line in ended.out.splitlines() if line.startswith("Next:")]
    assert "end with <response>FIN</response>" in line


def test_a_prompt_that_names_another_word_is_warned_of_and_stays_as_it_was_written(loop):
    prompt = "Build it. End with <response>COMPLETE</response>"
    ended = loop(says("<response>COMPLETE</response>"), done(), args=("-p", prompt))
    assert ended.prompts == [prompt, prompt]
    warning = "the prompt names <response>COMPLETE</response>, but only <response>DONE</response> ends the loop."
    assert f"ralph: {warning}" in ended.err


def test_a_prompt_with_the_word_in_any_letter_case_or_left_open_is_not_warned_of(loop):
    for prompt in ("End with <response> done </response>", "End with DONE in <response>...</response>"):
        assert "ends the loop" not in loop(done(), args=("-p", prompt)).err
