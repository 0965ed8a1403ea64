import pytest

from ralph.agents.adapter import ARGV_LIMIT, Call
from ralph.agents.amp import Amp
from ralph.agents.generic import Generic
from ralph.model.errors import ConfigError


def invocation(words, prompt="Do it.", flags=(), adapter=Generic):
    return adapter().invocation(
        list(words), list(flags), Call(prompt, "/run/context.md", "/run/output.md", stream=True)
    )


def test_without_a_placeholder_the_prompt_comes_in_on_stdin():
    seen = invocation(["llm", "-q"], flags=["--fast"])
    assert (seen.argv, seen.on_stdin) == (["llm", "-q", "--fast"], True)


@pytest.mark.parametrize(
    ("words", "flags", "argv"),
    [
        (["llm", "{prompt}"], [], ["llm", "Do it."]),
        (["llm"], ["--ask={prompt}"], ["llm", "--ask=Do it."]),
        (["llm", "-f", "{prompt_file}"], [], ["llm", "-f", "/run/context.md"]),
        (["llm", "@{prompt_file}", "{prompt}"], [], ["llm", "@/run/context.md", "Do it."]),
    ],
)
def test_placeholders_anywhere_in_command_or_flags_are_filled_in(words, flags, argv):
    seen = invocation(words, flags=flags)
    assert (seen.argv, seen.on_stdin) == (argv, False)


def test_a_placeholder_in_the_prompt_itself_is_left_alone():
    assert invocation(["llm", "{prompt}"], "Explain {prompt_file}.").argv == ["llm", "Explain {prompt_file}."]


def test_a_prompt_too_long_for_an_argument_is_refused_with_the_way_out():
    with pytest.raises(ConfigError, match=r"too long for an argument of llm.*\{prompt_file\}"):
        invocation(["llm", "{prompt}"], "x" * (ARGV_LIMIT + 1))
    assert invocation(["llm", "{prompt_file}"], "x" * (ARGV_LIMIT + 1)).argv == ["llm", "/run/context.md"]


def test_amp_gets_a_prompt_too_long_for_an_argument_on_stdin():
    seen = invocation(["amp"], "x" * (ARGV_LIMIT + 1), adapter=Amp)
    assert (seen.argv[-1], seen.on_stdin) == ("-x", True)
