"""Mistakes that are found before anything runs."""

import os

import pytest

from loops import PROMPT
from ralph.testing import done
from refusals import nothing_ran, one_clear_line

pytestmark = pytest.mark.e2e

FILES = [".ralph/settings.json", ".ralph/settings.local.json", ".ralph/config.yaml"]


def refused(loop, *args, env=None, **settings):
    loop.prepare(done(), **settings)
    return loop.ralph("run", *(args or ("-p", PROMPT)), env=env)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"maximumIteration": 3}, ['"maximumIteration"', "maximumIterations"]),
        ({"agent": {"command": "claude", "flag": []}}, ['"agent.flag"', "agent.flags"]),
        ({"maximumIterations": "many"}, ["maximumIterations"]),
        ({"guardrails": "make test"}, ["guardrails"]),
        ({"streamAgentOutput": 1}, ["streamAgentOutput"]),
        ({"guardrails": [{"command": "true", "failAction": "IGNORE"}]}, ["failAction", "APPEND", "PREPEND", "REPLACE"]),
        ({"guardrails": [{"failAction": "APPEND"}]}, ["guardrails", "command"]),
        ({"maximumIterations": 0}, ["maximumIterations"]),
        ({"maximumIterations": -1}, ["maximumIterations"]),
        ({"outputTruncateChars": 0}, ["outputTruncateChars"]),
        ({"budget": {"usd": -1}}, ["budget.usd"]),
        ({"budget": {"tokens": 0}}, ["budget.tokens"]),
        ({"timeouts": {"agent": -5}}, ["timeouts.agent"]),
        ({"timeouts": {"idle": "soon"}}, ["timeouts.idle"]),
        ({"completionResponse": ""}, ["completionResponse"]),
        ({"agent": {"command": " "}}, ["agent"]),
    ],
)
def test_a_wrong_setting_is_named(loop, settings, words):
    one_clear_line(refused(loop, **settings), 2, ".ralph/settings.json", *words)
    nothing_ran(loop)


def test_a_command_that_cannot_be_split_is_named(loop):
    one_clear_line(refused(loop, agent={"command": "claude 'half"}), 2, "agent.command", "quotation")
    nothing_ran(loop)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("content", ["{", '{"a": 1,}', "- [", "a: b: c", "[1]", '"text"', "\t: x\n"])
def test_a_file_that_is_not_valid_is_named(loop, file, content):
    loop.prepare(done())
    loop.repo.write(file, content)
    one_clear_line(loop.ralph("run", "-p", PROMPT), 2, file)
    nothing_ran(loop)


@pytest.mark.parametrize("file", FILES)
def test_a_file_of_100_mb_is_refused_at_once(loop, file):
    loop.prepare(done())
    with loop.repo.write(file, "{").open("ab") as settings:
        settings.truncate(100_000_000)
    one_clear_line(loop.ralph("run", "-p", PROMPT), 2, file, "95.4 MiB")
    nothing_ran(loop)


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_is_not_utf8_is_named(loop, file):
    loop.prepare(done())
    loop.repo.write(file, "").write_bytes(b'{"completionResponse": "\xff"}')
    one_clear_line(loop.ralph("run", "-p", PROMPT), 2, file, "UTF-8")
    nothing_ran(loop)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), ["--prompt", "--prompt-file", "neither"]),
        (("-p", "x", "-f", "PROMPT.md"), ["--prompt", "--prompt-file", "both"]),
        (("-p", ""), ["neither"]),
        (("-p", " \n"), ["prompt is empty"]),
        (("-f", "missing.md"), ["missing.md", "No such file"]),
        (("-f", "."), ["Is a directory"]),
        (("-f", "empty.md"), ["empty.md is empty"]),
        (("-f", "latin1.md"), ["latin1.md is not UTF-8"]),
        (("-p", "x", "-m", "0"), ["--maximum-iterations"]),
        (("-p", "x", "-m", "-3"), ["--maximum-iterations"]),
        (("-p", "x", "-c", ""), ["--completion-response"]),
        (("-p", "x", "--agent", ""), ["agent"]),
    ],
)
def test_a_wrong_flag_is_named(loop, args, words):
    loop.prepare(done())
    loop.repo.write("empty.md", "\n")
    loop.repo.write("latin1.md", "").write_bytes("Füge es hinzu".encode("latin-1"))
    one_clear_line(loop.ralph("run", *args), 2, *words)
    nothing_ran(loop)


BYTES = os.fsdecode(b"\xff\xfe")


@pytest.mark.parametrize(
    "args", [("-p", BYTES), ("-f", BYTES), ("-p", "x", "-c", BYTES), ("-p", "x", "--agent", BYTES)]
)
def test_a_flag_that_is_not_utf8_is_refused(loop, args):
    one_clear_line(refused(loop, *args), 2)
    nothing_ran(loop)


def test_a_variable_that_is_not_utf8_is_refused(loop):
    one_clear_line(refused(loop, env={"RALPH_COMPLETION_RESPONSE": BYTES}), 2, "RALPH_COMPLETION_RESPONSE")
    nothing_ran(loop)


def test_a_variable_for_someone_else_need_not_be_utf8(loop):
    assert refused(loop, env={"SOMETHING": BYTES}).code == 0


def test_scm_tasks_need_a_repository(loop):
    ended = refused(loop, "--quiet", "-p", PROMPT, scm={"command": "git", "tasks": ["commit"]})
    one_clear_line(ended, 2, "is not a git repository", "git init")
    assert loop.agent.starts == []


def test_a_missing_agent_ends_the_run_with_one_line(loop):
    ended = refused(loop, "--quiet", "-p", PROMPT, agent={"command": "no-such-agent"})
    one_clear_line(ended, 7, "no-such-agent is not on PATH")


@pytest.mark.parametrize("command", ["resume", "show", "logs", "retry"])
def test_a_run_that_is_not_there_is_named(loop, command):
    loop.prepare(done())
    one_clear_line(loop.ralph(command, "cafe"), 2, "cafe")


def test_a_directory_whose_name_is_not_utf8_is_named(loop):
    loop.prepare(done())
    moved = loop.repo.path.with_name(os.fsdecode(b"caf\xe9"))
    loop.repo.path.rename(moved)
    loop.repo.path = moved
    one_clear_line(loop.ralph("run", "-p", PROMPT), 2, r"caf\udce9' is not UTF-8", "Rename")
    nothing_ran(loop)
