"""What holds for every command and every option of the program."""

import click
import pytest

from ralph.cli.choices import Choice
from ralph.cli.durations import DurationType
from ralph.cli.group import cli
from ralph.testing import run_ralph

TIMES = ("timeout", "delay", "interval", "grace", "seconds", "older_than", "wait")


def commands(group=cli, path=()):
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


OPTIONS = [(" ".join(path), option) for path, command in commands() for option in command.params]


def takes_a_time(option):
    about = (getattr(option, "help", "") or "").lower()
    numeric = isinstance(option.type, click.types.FloatParamType | click.types.IntParamType)
    if isinstance(option, click.Option) and option.is_flag:
        return False
    return any(word in (option.name or "") for word in TIMES) or (numeric and "second" in about)


def test_every_option_that_takes_a_time_takes_a_duration():
    found = [(path, option) for path, option in OPTIONS if takes_a_time(option)]
    assert len(found) >= 7
    assert [f"{path} {option.name}" for path, option in found if not isinstance(option.type, DurationType)] == []


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90.0), ("5s", 5.0), ("10m", 600.0), ("1h30m", 5400.0), ("2d", 172800.0)]
)
def test_a_duration_on_the_command_line_is_written_as_in_the_settings(text, seconds):
    assert DurationType().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["soon", "5 parsecs", "-1", ""])
def test_a_wrong_duration_is_named(text):
    with pytest.raises(click.BadParameter, match="it must"):
        DurationType().convert(text, None, None)


def test_a_duration_may_have_a_least_value():
    with pytest.raises(click.BadParameter, match=r"at least 0\.01s, got 0\.001"):
        DurationType(least=0.01).convert("0.001", None, None)
    with pytest.raises(click.BadParameter, match="more than 0s, got 0"):
        DurationType(above=0).convert("0", None, None)


def test_every_choice_suggests_the_nearest_word():
    plain = [
        f"{path} {o.name}" for path, o in OPTIONS if isinstance(o.type, click.Choice) and not isinstance(o.type, Choice)
    ]
    assert plain == []
    assert sum(isinstance(option.type, Choice) for _, option in OPTIONS) > 5


def test_a_mistyped_value_is_named_with_the_nearest(git_loop):
    ended = run_ralph(git_loop.repo, "init", "--yes", "--permissions", "projct")
    assert ended.returncode == 2
    assert "'projct' is not one of 'all', 'project', 'own'. Did you mean project?" in " ".join(ended.stderr.split())


@pytest.mark.parametrize(
    ("words", "near"),
    [(["rum"], "run"), (["stauts"], "status"), (["task", "crate"], "create"), (["config", "chekc"], "check")],
)
def test_a_mistyped_command_is_named_with_the_nearest(git_loop, words, near):
    ended = run_ralph(git_loop.repo, *words)
    assert ended.returncode == 2
    assert f"No such command '{words[-1]}'. Did you mean {near}?" in ended.stderr


def test_a_command_that_is_like_no_other_gets_no_suggestion(git_loop):
    ended = run_ralph(git_loop.repo, "xyzzy")
    assert ended.returncode == 2
    assert "Did you mean" not in ended.stderr


@pytest.mark.parametrize("words", [[], ["run"], ["task"], ["task", "create"], ["runs", "gc"], ["help"]])
def test_help_is_what_the_option_says(git_loop, words):
    asked, option = run_ralph(git_loop.repo, "help", *words), run_ralph(git_loop.repo, *words, "--help")
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout == option.stdout
    assert asked.stdout.startswith("Usage: ralph")


def test_help_of_an_unknown_command_suggests_one(git_loop):
    ended = run_ralph(git_loop.repo, "help", "task", "craete")
    assert ended.returncode == 2
    assert "Did you mean create?" in ended.stderr
    ended = run_ralph(git_loop.repo, "help", "run", "now")
    assert ended.returncode == 2
    assert "ralph run has no command 'now'" in ended.stderr
