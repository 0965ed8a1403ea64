"""The help of every command has an example, and the program takes each of them."""

import click
import pytest

from help_examples import calls, commands, examples, parse

COMMANDS = [pytest.param(path, command, id=" ".join(path)) for path, command in commands()]
EXAMPLES = [
    pytest.param(path, line, id=line.replace("/", "|")) for path, command in commands() for line in examples(command)
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No settings of the user's and no project."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RALPH_RUN_ID", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_the_help_has_an_example_of_the_command_itself(path, command):
    shown = [words for line in examples(command) for words in calls(line)]
    assert any(parse(words)[: len(path)] == path for words in shown), command.help


@pytest.mark.parametrize(("path", "line"), EXAMPLES)
def test_the_program_takes_the_example(path, line):
    assert all(parse(words) for words in calls(line))


def test_a_wrong_example_would_be_noticed():
    for wrong in ("ralph run --promt x", "ralph tusk list", "ralph task show", "ralph spec show a --workers 3"):
        with pytest.raises(click.UsageError):
            parse(*calls(wrong))


def test_a_call_is_found_in_any_line_of_shell():
    assert calls("make test 2>&1 | tail -n 20 | ralph bus post --type ERROR -") == [
        ["bus", "post", "--type", "ERROR", "-"]
    ]
    assert calls("EDITOR=nano ralph spec edit shop") == [["spec", "edit", "shop"]]
    assert calls("ralph spec new --yes - < idea.md") == [["spec", "new", "--yes", "-"]]
    assert calls("ralph spec import '#12' --from github") == [["spec", "import", "#12", "--from", "github"]]
    assert calls("mv ~/shop ~/work/shop") == []
