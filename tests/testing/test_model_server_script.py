"""Scripts of a model: what they may say, in Python and in files, and the program that serves them."""

import json
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from asking import DIALECTS, Client, ask
from ralph.testing import ModelServer
from ralph.testing.shapes import ScriptError

YAML = """\
after: error
usage: {input: 5}
turns:
  - when: {prompt_contains: commit message}
    say: Add a file
  - tool: {shell: "echo hi > hello.txt"}
  - error: 429
    retry_after: 1
  - say: |
      All is well.
      <response>DONE</response>
"""


@pytest.mark.parametrize(
    ("turn", "problem"),
    [
        ({}, "turns 1 needs one of: say, tool, cut, hang, error"),
        ({"delay": 3}, "turns 1 needs one of: say, tool, cut, hang, error"),
        ({"sya": "x"}, "turns 1: unknown key 'sya'"),
        ({"say": 3}, "turns 1: say must be text, not 3"),
        ({"error": "429"}, "turns 1: error must be a whole number"),
        ({"error": 200}, "turns 1: error must be a status from 400 to 599, not 200"),
        ({"error": 429, "say": "x"}, "turns 1: an error says nothing and calls nothing; take away say"),
        ({"error": 429, "cut": True}, "turns 1: an error says nothing and calls nothing; take away cut"),
        ({"error": 429, "retry_after": -1}, "turns 1: delay and retry_after are seconds"),
        ({"say": "x", "retry_after": 1}, "turns 1: retry_after goes with an error"),
        ({"say": "x", "in_stream": True}, "turns 1: in_stream goes with an error"),
        ({"say": "x", "delay": -1}, "turns 1: delay and retry_after are seconds"),
        ({"cut": True, "hang": True}, "turns 1: choose cut or hang"),
        ({"tool": {}}, "turns 1: tool needs either shell, or name with input"),
        ({"tool": {"shell": "x", "name": "Bash"}}, "turns 1: tool needs either shell, or name with input"),
        ({"tool": {"shell": "x", "input": {}}}, "turns 1: tool needs either shell, or name with input"),
        ({"tool": "ls"}, "turns 1: tool must be a mapping, not 'ls'"),
        ({"tool": {"shell": "ls"}}, "the last turn calls a tool, and would be repeated for ever"),
        ({"say": "x", "when": {}}, "turns 1: when lacks 'prompt_contains'"),
        ({"say": "x", "usage": {"inputs": 1}}, "turns 1: usage: unknown key 'inputs'"),
    ],
)
def test_a_mistake_is_told_at_once(turn, problem):
    with pytest.raises(ScriptError) as told:
        ModelServer(turn)
    assert problem in str(told.value)


def test_a_script_may_end_with_a_tool_if_it_is_not_repeated():
    with ModelServer({"tool": {"shell": "ls"}}, after="error") as server:
        assert Client(DIALECTS["chat"], server.url).says("hello").status == 200


def test_a_script_without_turns_refuses_everything():
    with ModelServer() as server:
        assert Client(DIALECTS["chat"], server.url).says("hello").status == 400
        assert server.problems == ["the script has ended: all of its 0 turns are used up"]


@pytest.fixture(params=["yaml", "json"])
def script(request, tmp_path):
    path = tmp_path / f"script.{request.param}"
    source = {
        "after": "error",
        "usage": {"input": 5},
        "turns": [
            {"when": {"prompt_contains": "commit message"}, "say": "Add a file"},
            {"tool": {"shell": "echo hi > hello.txt"}},
            {"error": 429, "retry_after": 1},
            {"say": "All is well.\n<response>DONE</response>\n"},
        ],
    }
    path.write_text(YAML if request.param == "yaml" else json.dumps(source))
    return path


def test_a_script_in_a_file_is_played(script):
    with ModelServer.of_file(script) as server:
        client = Client(DIALECTS["chat"], server.url)
        assert client.dialect.called(client.says("work")) == ("bash", {"command": "echo hi > hello.txt"})
        assert client.reports("work", "").status == 429
        last = client.reports("work", "")
        assert client.dialect.said(last) == "All is well.\n<response>DONE</response>\n"
        assert last.json["usage"]["prompt_tokens"] == 5
        assert client.dialect.said(client.says("write a commit message")) == "Add a file"
        assert client.says("work").status == 400


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("s.yaml", "turns: [{say: x}", "expected ',' or ']'"),
        ("s.yaml", "turns: [{}]", "turns 1 needs one of"),
        ("s.yaml", "", "script must be a mapping, not nothing"),
        ("s.json", "{", "Expecting property name"),
        ("s.json", "[]", "script must be a mapping"),
        ("s.json", '{"turns": [], "other": 1}', "unknown key 'other'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path, name, text, problem):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ScriptError) as told:
        ModelServer.of_file(path)
    assert str(told.value).startswith(f"{path}: ")
    assert problem in str(told.value)


COMMAND = [sys.executable, "-m", "ralph.testing.model_server"]


@contextmanager
def serving(*args):
    with subprocess.Popen([*COMMAND, *args], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_the_program_prints_its_address_serves_and_ends_politely(script, ending):
    with serving(str(script)) as (process, url):
        assert ask(url, method="HEAD").status == 200
        client = Client(DIALECTS["anthropic"], url, stream=True)
        assert client.dialect.called(client.says("work")) == ("Bash", {"command": "echo hi > hello.txt"})
        assert len(ask(f"{url}/requests").json) == 2
        process.send_signal(ending)
        assert process.wait(timeout=20) == 0


def test_the_program_ends_though_a_request_hangs(tmp_path):
    script = tmp_path / "hang.json"
    script.write_text('{"turns": [{"hang": true}]}')
    with serving(str(script)) as (process, url):
        with pytest.raises(TimeoutError):
            Client(DIALECTS["chat"], url).says("hello", seconds=0.3)
        process.terminate()
        assert process.wait(timeout=20) == 0


def test_the_program_listens_where_it_is_told(script):
    with ModelServer({"say": "x"}) as taken:
        port = taken.url.rpartition(":")[2]
    with serving(str(script), "--port", port) as (_, url):
        assert url == f"http://127.0.0.1:{port}"


def test_the_program_tells_a_mistake_in_one_line(tmp_path):
    path = tmp_path / "script.yaml"
    path.write_text("turns: [{say: 3}]")
    done = subprocess.run([*COMMAND, str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"model server: {path}: script: turns 1: say must be text, not 3\n"


def test_a_port_that_is_taken_is_told_in_one_line(script):
    with ModelServer({"say": "x"}) as taken:
        argv = [*COMMAND, str(script), "--port", taken.url.rpartition(":")[2]]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "in use" in done.stderr
