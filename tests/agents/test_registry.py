import pytest

from ralph.agents.registry import choose, split_flags
from ralph.config.schema import apply_schema
from ralph.model.errors import ConfigError


def chosen(**settings):
    return choose(apply_schema(settings))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("claude", "claude"),
        ("codex", "codex"),
        ("amp", "amp"),
        ("/opt/tools/bin/claude", "claude"),
        ("./codex", "codex"),
        ("claude --model opus", "claude"),
        ("claude.exe", "claude"),
        ("my-agent", "generic"),
        ("claude-wrapper", "generic"),
        ("sh -c 'claude'", "generic"),
    ],
)
def test_the_name_of_the_program_says_which_agent_it_is(command, name):
    assert chosen(agent={"command": command}).adapter.name == name


def test_a_command_may_carry_arguments():
    assert chosen(agent={"command": "claude --model 'opus 4'"}).command == ["claude", "--model", "opus 4"]


def test_a_path_with_blanks_that_exists_is_one_word(tmp_path):
    program = tmp_path / "my tools" / "claude"
    program.parent.mkdir()
    program.touch()
    agent = chosen(agent={"command": str(program)})
    assert agent.command == [str(program)]
    assert agent.adapter.name == "claude"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--model opus", "--no-auto-compact"], ["--model", "opus", "--no-auto-compact"]),
        (['--append "two words"', "-x=''"], ["--append", "two words", "-x="]),
        ([""], []),
    ],
)
def test_each_flag_is_split_as_a_shell_would(flags, words):
    assert split_flags(flags) == words


def test_an_open_quotation_is_an_error_that_names_the_setting():
    with pytest.raises(ConfigError, match=r"agent\.flags.*No closing quotation"):
        split_flags(["--append 'oops"])


def test_no_agent_is_an_error_that_says_what_to_do():
    with pytest.raises(ConfigError, match=r"no agent is chosen.*ralph init"):
        chosen()


EXECUTORS = [
    {"id": "fast", "type": "claude", "model": "haiku", "flags": ["--max-turns 5"]},
    {"id": "local", "type": "command", "command": "llm chat {prompt_file}"},
    {"id": "old", "type": "codex", "command": "/opt/old/codex"},
]


@pytest.mark.parametrize(
    ("id_", "name", "command", "flags"),
    [
        ("fast", "claude", ["claude"], ["--max-turns", "5", "--model", "haiku"]),
        ("local", "generic", ["llm", "chat", "{prompt_file}"], []),
        ("old", "codex", ["/opt/old/codex"], []),
    ],
)
@pytest.mark.parametrize("where", ["agent.command", "defaults.executor"])
def test_an_executor_is_chosen_by_its_id(where, id_, name, command, flags):
    section, _, key = where.partition(".")
    agent = chosen(tools={"executors": EXECUTORS}, **{section: {key: id_}})
    assert (agent.adapter.name, agent.command, agent.flags) == (name, command, flags)


def test_the_flags_of_the_agent_come_after_those_of_the_executor():
    agent = chosen(tools={"executors": EXECUTORS}, agent={"command": "fast", "flags": ["--verbose"]})
    assert agent.flags == ["--max-turns", "5", "--model", "haiku", "--verbose"]
