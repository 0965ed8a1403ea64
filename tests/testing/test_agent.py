"""The Python side: an agent made in a test."""

import os
import subprocess
import sys
import venv

import pytest

import ralph.testing
from ralph.testing import ScriptedAgent, crash, done, edits, fails, floods, hangs, says
from ralph.testing.agent import program_text
from ralph.testing.shapes import ScriptError


def test_everything_promised_is_there():
    for name in ralph.testing.__all__:
        assert getattr(ralph.testing, name).__name__ == name


def test_nothing_else_is_there():
    with pytest.raises(AttributeError, match="no attribute 'Script'"):
        _ = ralph.testing.Script


@pytest.mark.parametrize("format_", ["claude", "codex", "amp", "opencode", "gemini", "qwen", "copilot"])
def test_the_program_has_the_name_of_the_agent(scripted, format_):
    assert os.path.basename(scripted(says("x"), format=format_).command) == format_  # noqa: PTH119 - it is text


def test_a_text_agent_and_a_named_one_have_names_of_their_own(scripted):
    assert scripted(says("x"), format="text").command.endswith("/agent")
    assert scripted(says("x"), name="my-agent").command.endswith("/my-agent")


def test_found_on_path_it_is_the_agent(scripted, work):
    agent = scripted(edits({"a.txt": "1"}) | done())
    subprocess.run(
        ["sh", "-c", "echo go | claude -p"], cwd=work, env={"PATH": f"{agent.directory}:/usr/bin:/bin"}, check=True
    )
    assert (work / "a.txt").read_text() == "1"
    assert agent.prompts == ["go\n"]


def test_a_mistake_in_a_step_is_told_at_once(tmp_path):
    with pytest.raises(ScriptError, match="steps 1: unknown key 'wirte'"):
        ScriptedAgent({"wirte": {}}, directory=tmp_path)


def test_before_the_first_start_there_is_no_record(scripted):
    agent = scripted(says("x"))
    assert (agent.starts, agent.prompts) == ([], [])


def test_an_agent_made_again_begins_again(scripted, work):
    for _ in range(2):
        agent = scripted(says("one"), says("two"), format="text")
        played = subprocess.run([agent.command], stdin=subprocess.DEVNULL, capture_output=True, check=True)
        assert played.stdout == b"one\n"
        assert len(agent.starts) == 1


def test_it_starts_without_the_environment(scripted):
    agent = scripted(says("x"), format="text")
    played = subprocess.run([agent.command], env={}, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert played.stdout == b"x\n"


def test_an_interpreter_whose_path_no_first_line_can_hold_is_started_by_the_shell(tmp_path, scripted):
    agent = scripted(says("x"), format="text")
    folder = tmp_path / "with space" / ("long" * 30)
    venv.create(folder, symlinks=True)
    program = tmp_path / "program"
    program.write_text(program_text(str(folder / "bin" / "python"), str(agent.script)))
    program.chmod(0o755)
    played = subprocess.run([program, "it's", '"quoted"'], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert played.stdout == b"x\n"
    assert agent.starts[0].argv == ["it's", '"quoted"']
    assert sys.executable not in program.read_text()


@pytest.mark.parametrize(
    ("step", "meaning"),
    [
        (edits({"a": "1"}) | done("YES"), {"write": {"a": "1"}, "final": "<response>YES</response>"}),
        (says("x"), {"say": "x"}),
        (fails(3, "boom"), {"exit": 3, "no_result": True, "stderr": "boom"}),
        (fails(), {"exit": 1, "no_result": True}),
        (crash(), {"kill": "SIGKILL"}),
        (hangs(), {"hang": True}),
        (hangs(hard=True), {"hang": "hard"}),
        (floods(9, kind="tool"), {"flood": {"bytes": 9, "line": 1000, "kind": "tool"}}),
    ],
)
def test_steps_by_name_are_plain_mappings(step, meaning):
    assert step == meaning
