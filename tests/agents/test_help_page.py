"""Which flags a program has, by what its help page lists."""

import pytest

from ralph.agents.help_page import offers


@pytest.fixture
def program(tmp_path):
    def write(page):
        path = tmp_path / "agent"
        path.write_text(f"#!/bin/sh\necho asked >> '{tmp_path}/log'\ncat <<'END'\n{page}\nEND\n")
        path.chmod(0o755)
        return [str(path)]

    return write


@pytest.mark.parametrize(
    ("flag", "there"), [("--json-schema", True), ("--json", False), ("--schema", False), ("--output-format", True)]
)
def test_a_flag_is_there_if_the_page_lists_just_that(program, flag, there):
    assert offers(program("  --json-schema <schema>\n  -o,--output-format [x]"), flag) is there


@pytest.mark.parametrize("unless_told", [True, False])
def test_a_program_that_lists_nothing_or_is_not_there_is_taken_as_told(program, unless_told):
    for command in (program("usage: agent"), ["/nowhere/agent"]):
        assert offers(command, "--json-schema", unless_told=unless_told) is unless_told


def test_a_program_is_asked_once(program, tmp_path):
    command = program("--one --two")
    assert offers(command, "--one")
    assert offers(command, "--two")
    assert not offers(command, "--three")
    assert (tmp_path / "log").read_text() == "asked\n"
