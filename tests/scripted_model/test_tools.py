"""A shell command in the words of each program's own tool, and examples of what a schema wants."""

import pytest

from asking import DIALECTS, Client
from ralph.testing.shapes import ScriptError
from scripted_model import ModelServer
from scripted_model.base import Tool
from scripted_model.tools import called, example

TEXT = {"type": "string"}


def shell(name, properties, required):
    return Tool(name, {"type": "object", "properties": properties, "required": required})


# As the programs offered them, less what is not asked for.
CLAUDE = shell("Bash", {"command": TEXT, "timeout": {"type": "number"}, "description": TEXT}, ["command"])
CODEX = shell("exec_command", {"cmd": TEXT, "workdir": TEXT, "tty": {"type": "boolean"}}, ["cmd"])
OLD_CODEX = shell("shell", {"command": {"type": "array", "items": TEXT}, "workdir": TEXT}, ["command"])
OPENCODE = shell("bash", {"command": TEXT, "timeout": {"type": "integer"}}, ["command"])
GEMINI = shell("run_shell_command", {"command": TEXT, "is_background": {"type": "boolean"}}, ["command"])
OLD_QWEN = shell(
    "run_shell_command", {"command": TEXT, "is_background": {"type": "boolean"}}, ["command", "is_background"]
)
COPILOT = shell("bash", {"command": TEXT, "description": TEXT, "mode": {"enum": ["sync"]}}, ["command", "description"])
GOOSE = shell("developer__shell", {"command": TEXT}, ["command"])


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (CLAUDE, {"command": "make"}),
        (CODEX, {"cmd": "make"}),
        (OLD_CODEX, {"command": ["bash", "-lc", "make"]}),
        (OPENCODE, {"command": "make"}),
        (GEMINI, {"command": "make"}),
        (OLD_QWEN, {"command": "make", "is_background": False}),
        (COPILOT, {"command": "make", "description": "scripted"}),
        (GOOSE, {"command": "make"}),
    ],
    ids=["claude", "codex", "old codex", "opencode", "gemini", "old qwen", "copilot", "goose"],
)
def test_each_programs_shell_is_found_among_its_other_tools(tool, arguments):
    others = [
        shell("read_bash", {"shellId": TEXT}, ["shellId"]),
        shell("write_stdin", {"session_id": {"type": "number"}}, ["session_id"]),
        shell("list_background_processes", {}, []),
    ]
    call = called({"shell": "make"}, [*others, tool])
    assert (call.name, call.input) == (tool.name, arguments)


def test_without_a_shell_the_tools_on_offer_are_named():
    with pytest.raises(ScriptError, match=r"It offers: read_bash, Read$"):
        called({"shell": "make"}, [shell("read_bash", {"shellId": TEXT}, []), shell("Read", {"path": TEXT}, [])])
    with pytest.raises(ScriptError, match=r"It offers: none$"):
        called({"shell": "make"}, [])


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "scripted"),
        ({"type": "INTEGER"}, 1),
        ({"type": "number", "minimum": 5}, 5),
        ({"type": "boolean"}, False),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": ["null", "string"]}, "scripted"),
        ({"type": "null"}, None),
        ({"enum": ["low", "high"]}, "low"),
        ({"const": 3}, 3),
        ({"type": "string", "default": "x"}, "x"),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, False),
        ({"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]}, {"a": "scripted"}),
        ({"type": "object", "required": ["unknown"]}, {"unknown": None}),
        ({}, None),
    ],
)
def test_an_example_is_as_small_as_the_schema_allows(schema, value):
    assert example(schema) == value


SCORE = {
    "type": "OBJECT",
    "properties": {"reasoning": {"type": "STRING"}, "score": {"type": "INTEGER"}},
    "required": ["reasoning", "score"],
}
SCORED = '{"reasoning":"scripted","score":1}'


@pytest.mark.parametrize(
    ("dialect", "asked"),
    [
        ("gemini", {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": SCORE}}),
        ("gemini", {"generationConfig": {"responseSchema": SCORE}}),
        ("anthropic", {"output_config": {"format": {"type": "json_schema", "schema": SCORE}}}),
        ("anthropic", {"output_format": {"type": "json_schema", "schema": SCORE}}),
        ("chat", {"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": SCORE}}}),
        ("responses", {"text": {"format": {"type": "json_schema", "name": "s", "schema": SCORE}}}),
    ],
)
def test_a_side_request_for_json_gets_json(dialect, asked):
    with ModelServer({"say": "one"}) as server:
        client = Client(DIALECTS[dialect], server.url)
        assert client.dialect.said(client.says("How complex is this?", tools=(), **asked)) == SCORED
        assert server.conversation == []


@pytest.mark.parametrize(
    ("dialect", "asked"),
    [
        ("gemini", {"generationConfig": {"responseMimeType": "application/json"}}),
        ("chat", {"response_format": {"type": "json_object"}}),
        ("responses", {"text": {"format": {"type": "json_object"}}}),
    ],
)
def test_a_side_request_for_any_json_gets_an_empty_object(dialect, asked):
    with ModelServer({"say": "one"}) as server:
        client = Client(DIALECTS[dialect], server.url)
        assert client.dialect.said(client.says("Answer in JSON", tools=(), **asked)) == "{}"


def test_a_side_request_that_wants_a_call_gets_the_call():
    tool = {"type": "function", "function": {"name": "respond_in_schema", "parameters": SCORE}}
    with ModelServer({"say": "one"}) as server:
        client = Client(DIALECTS["chat"], server.url)
        answer = client.says("Give a title", tools=[tool])
        assert client.dialect.called(answer) == ("respond_in_schema", {"reasoning": "scripted", "score": 1})
        assert server.conversation == []


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
@pytest.mark.parametrize(("longest", "turns"), [(1, [0]), (16, [0]), (17, [1])])
def test_a_request_for_hardly_a_word_is_a_probe(dialect, longest, turns):
    limit = "max_output_tokens" if dialect == "responses" else "max_tokens"
    with ModelServer({"say": "one"}) as server:
        Client(DIALECTS[dialect], server.url).says("quota", **{limit: longest})
        assert [request.turn for request in server.requests] == turns
