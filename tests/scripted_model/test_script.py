"""Scripts of a model: what they may say."""

import pytest

from asking import DIALECTS, Client
from ralph.testing.shapes import ScriptError
from scripted_model import ModelServer

TURNS = [
    {"when": {"prompt_contains": "commit message"}, "say": "Add a file"},
    {"tool": {"shell": "echo hi > hello.txt"}},
    {"error": 429, "retry_after": 1},
    {"say": "All is well.\n<response>DONE</response>\n"},
]


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


def test_a_script_is_played():
    with ModelServer(*TURNS, after="error", usage={"input": 5}) as server:
        client = Client(DIALECTS["chat"], server.url)
        assert client.dialect.called(client.says("work")) == ("bash", {"command": "echo hi > hello.txt"})
        assert client.reports("work", "").status == 429
        last = client.reports("work", "")
        assert client.dialect.said(last) == "All is well.\n<response>DONE</response>\n"
        assert last.json["usage"]["prompt_tokens"] == 5
        assert client.dialect.said(client.says("write a commit message")) == "Add a file"
        assert client.says("work").status == 400
