import pytest

from ralph.agents.registry import choose, choose_executor, split_flags
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
        (["--allow", "Bash(git log *)"], ["--allow", "Bash(git log *)"]),
        (["--append 'oops"], ["--append 'oops"]),
    ],
)
def test_a_flag_that_begins_with_a_dash_is_split_as_a_shell_would_and_any_other_is_one_word(flags, words):
    assert split_flags(flags) == words


def test_an_agent_may_be_named_in_any_letter_case():
    agent = chosen(agent={"command": "Claude"})
    assert (agent.command, agent.adapter.name) == (["claude"], "claude")


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


INIT = {"agent": {"command": "claude", "flags": ["--model opus"]}}
"""As `ralph init` writes it."""


@pytest.mark.parametrize(
    ("settings", "run", "chunk"),
    [
        (INIT, ["claude", "--model", "opus"], ["claude", "--model", "opus"]),
        ({**INIT, "defaults": {"executor": "codex"}}, ["claude", "--model", "opus"], ["codex"]),
        ({**INIT, "defaults": {"executor": "claude"}}, ["claude", "--model", "opus"], ["claude", "--model", "opus"]),
        ({"defaults": {"executor": "codex"}}, ["codex"], ["codex"]),
        ({"agent": {"flags": ["-x"]}, "defaults": {"executor": "codex"}}, ["codex", "-x"], ["codex", "-x"]),
    ],
)
def test_a_chosen_executor_works_on_chunks_and_the_agent_in_run(settings, run, chunk):
    for choice, words in ((choose, run), (choose_executor, chunk)):
        agent = choice(apply_schema(settings))
        assert [*agent.command, *agent.flags] == words
        assert agent.name == words[0]


def test_an_executor_of_the_type_claude_code_starts_claude():
    settings = {"tools": {"executors": [{"id": "mine", "type": "claude-code"}]}, "defaults": {"executor": "mine"}}
    agent = choose_executor(apply_schema(settings))
    assert (agent.command, agent.adapter.name, agent.name) == (["claude"], "claude", "mine")


def test_nobody_is_chosen():
    with pytest.raises(ConfigError, match="no agent is chosen"):
        choose_executor(apply_schema({}))
