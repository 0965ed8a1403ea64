"""Script files: YAML and JSON, and what is said of a bad one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ralph.testing.script import load
from ralph.testing.shapes import ScriptError

PROGRAM = Path(sys.executable).with_name("ralph-scripted-agent")


def start(*args, cwd=None):
    return subprocess.run(
        [PROGRAM, *args], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
    )


def test_a_yaml_script_is_played_by_the_installed_program(tmp_path):
    (tmp_path / "script.yaml").write_text("format: text\nsteps:\n  - say: one\n  - say: two\n")
    played = [start("script.yaml", "-p", "x", cwd=tmp_path).stdout for _ in range(2)]
    assert played == [b"one\n", b"two\n"]
    assert int((tmp_path / "script.yaml.state").read_text()) == 2
    assert len((tmp_path / "script.yaml.log").read_text().splitlines()) == 2


def test_a_json_script_needs_no_package_but_the_standard_library(tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"format": "text", "steps": [{"say": "one"}]}))
    source = f"""
import sys
sys.path.append({str(Path(__file__).parents[2] / "src")!r})
sys.argv = ["agent", {str(script)!r}]
from ralph.testing.scripted_agent import main
try:
    main()
finally:
    print(sorted({{"typing", "pathlib", "subprocess", "yaml", "msgspec"}} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-IS", "-c", source], stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert done.stdout == b"one\n[]\n"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("{", "script.yaml: while parsing"),
        ("steps: 3", "script: steps must be a list, not 3"),
        ("[]", "script must be a mapping, not []"),
        ("format: claude", "script lacks 'steps'"),
        ("format: cladue\nsteps: []", "script: format must be 'claude' or 'codex' or"),
        ("steps: [{sya: hello}]", "script: steps 1: unknown key 'sya'. Known are: when, do, expect_prompt"),
        ("steps: [{}, {say: 3}]", "script: steps 2: say must be text, not 3"),
        ("steps: [{exit: true}]", "script: steps 1: exit must be a whole number, not true"),
        ("steps: [{sleep: soon}]", "script: steps 1: sleep must be a number, not 'soon'"),
        ("steps: [{write: a.txt}]", "script: steps 1: write must be a mapping, not 'a.txt'"),
        ("steps: [{write: {a.txt: }}]", "script: steps 1: write: a.txt must be text, not nothing"),
        ("steps: [{flood: {line: 3}}]", "script: steps 1: flood lacks 'bytes'"),
        ("steps: [{hang: soft}]", "script: steps 1: hang must be true or false or 'hard', not 'soft'"),
        ("steps: [{kill: SIGNONE}]", "kill must be the name of a signal, such as SIGKILL, not 'SIGNONE'"),
        ("steps: [{do: [{exit: 1}]}]", "script: steps 1: do 1: unknown key 'exit'"),
        ("steps: [{todo: [{text: a, status: new}]}]", "todo 1: status must be 'pending' or 'in_progress' or"),
    ],
)
def test_a_bad_script_is_one_clear_line(tmp_path, source, problem):
    (tmp_path / "script.yaml").write_text(source)
    done = start("script.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"ralph-scripted-agent: script.yaml: ")
    assert problem in done.stderr.decode()


def test_json_that_is_none_is_one_clear_line(tmp_path):
    (tmp_path / "script.json").write_text("{'a'}")
    done = start("script.json", cwd=tmp_path)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"script.json: Expecting property name" in done.stderr


def test_a_missing_script_is_one_clear_line(tmp_path):
    done = start("none.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"none.yaml" in done.stderr


def test_without_a_script_the_usage_is_told():
    assert start().returncode == 2
    assert b"usage: ralph-scripted-agent SCRIPT" in start().stderr
    assert b"usage: ralph-scripted-agent SCRIPT" in start("--help").stdout


def test_defaults_are_claude_start_and_repeat(tmp_path):
    file = tmp_path / "s.json"
    file.write_text('{"steps": []}')
    script = load(str(file))
    assert (script.format, script.advance, script.after) == ("claude", "start", "repeat")


def test_a_yaml_true_is_not_a_number(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text("steps: [{flood: {bytes: yes}}]")
    with pytest.raises(ScriptError, match="bytes must be a whole number, not true"):
        load(str(file))
