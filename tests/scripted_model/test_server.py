"""The scripted model server in every protocol: turns, side requests, the record, and answers that go wrong."""

import json
import socket
import threading
import time

import pytest

from asking import DIALECTS, GONE, Client, ask
from scripted_model import ModelServer

SAY = {"say": "All is well.\n<response>DONE</response>"}
SHELL = {"tool": {"shell": "echo hi > hello.txt"}}


@pytest.fixture(params=[(name, stream) for name in DIALECTS for stream in (False, True)], ids=str)
def client_of(request):
    """Makes a client of a server, for every protocol, with and without a stream."""
    name, stream = request.param
    return lambda server: Client(DIALECTS[name], server.url, stream=stream)


@pytest.fixture(params=DIALECTS)
def streaming(request):
    return lambda server: Client(DIALECTS[request.param], server.url, stream=True)


def test_text_is_said(client_of):
    with ModelServer(SAY) as server:
        client = client_of(server)
        assert client.dialect.said(client.says("hello")) == SAY["say"]


def test_text_beyond_ascii_arrives_whole(client_of):
    text = "Grüße 🚀 " * 20 + '"quoted"\n\ttab'
    with ModelServer({"say": text}) as server:
        client = client_of(server)
        assert client.dialect.said(client.says("hello")) == text


def test_a_shell_command_becomes_a_call_of_the_tool_that_is_offered(client_of):
    with ModelServer({"say": "I write a file."} | SHELL, SAY) as server:
        client = client_of(server)
        answer = client.says("hello")
        name, arguments = client.dialect.called(answer)
        assert arguments == {"command": "echo hi > hello.txt"}
        assert name == server.requests[0].tools[0].name
        assert client.dialect.said(answer) == "I write a file."


def test_a_tool_is_called_to_the_letter(client_of):
    with ModelServer({"tool": {"name": "anything", "input": {"a": [1, "ü"]}}}, SAY) as server:
        client = client_of(server)
        assert client.dialect.called(client.says("hello")) == ("anything", {"a": [1, "ü"]})


def test_after_the_tools_result_the_next_turn_is_served(client_of):
    with ModelServer(SHELL, SAY) as server:
        client = client_of(server)
        client.says("hello")
        assert client.dialect.said(client.reports("hello", "it said hi")) == SAY["say"]
        first, second = server.requests
        assert (first.turn, first.prompt, first.tool_results) == (1, "hello", [])
        assert (second.turn, second.prompt, second.tool_results) == (2, "hello", ["it said hi"])
        assert (second.model, second.system) == ("m", "")
        assert server.conversation == server.requests


def test_the_last_turn_is_repeated(client_of):
    with ModelServer({"say": "one"}, {"say": "two"}) as server:
        client = client_of(server)
        assert [client.dialect.said(client.says("x")) for _ in range(4)] == ["one", "two", "two", "two"]
        assert [request.turn for request in server.requests] == [1, 2, 2, 2]


def test_a_script_that_may_not_be_repeated_refuses_and_says_so(client_of):
    with ModelServer({"say": "one"}, after="error") as server:
        client = client_of(server)
        client.says("x")
        refused = client.says("x")
        assert refused.status == 400
        assert b"the script has ended" in refused.body
        assert server.problems == ["the script has ended: all of its 1 turns are used up"]
        assert [request.turn for request in server.requests] == [1, 0]


def test_a_prompt_that_is_waited_for_is_answered_out_of_turn(client_of):
    commit = {"when": {"prompt_contains": "commit message"}, "say": "Add a file"}
    with ModelServer({"say": "one"}, commit, {"say": "two"}) as server:
        client = client_of(server)
        prompts = ("work", "write a commit message", "work", "a commit message again")
        answers = [client.dialect.said(client.says(prompt)) for prompt in prompts]
        assert answers == ["one", "Add a file", "two", "Add a file"]
        assert [request.turn for request in server.requests] == [1, 2, 3, 2]


def test_a_tools_result_is_no_new_prompt(client_of):
    waiting = {"when": {"prompt_contains": "please"}} | SHELL
    with ModelServer(waiting, SAY) as server:
        client = client_of(server)
        client.dialect.called(client.says("please work"))
        assert client.dialect.said(client.reports("please work", "hi")) == SAY["say"]


@pytest.mark.parametrize(
    "added",
    [
        "<system-reminder>\nremember\n</system-reminder>",
        "<session_context>a folder</session_context>",
        "<environment_context>\n<cwd>/x</cwd></environment_context>",
        "<current_datetime>2026-01-01</current_datetime>",
    ],
)
def test_what_a_program_writes_around_the_prompt_is_left_out(client_of, added):
    with ModelServer(SAY) as server:
        client = client_of(server)
        client.says(f"{added}\n\nhello")
        client.send(client.dialect.user("hello again"), client.dialect.user(added))
        assert [request.prompt for request in server.requests] == ["hello", "hello again"]


def test_a_request_without_tools_uses_up_no_turn(client_of):
    with ModelServer({"say": "one"}, {"say": "two"}) as server:
        client = client_of(server)
        title = client.says("Generate a title", tools=())
        assert client.dialect.said(title) == "Scripted session"
        assert client.dialect.said(client.says("hello")) == "one"
        assert [request.turn for request in server.requests] == [0, 1]
        assert [request.prompt for request in server.conversation] == ["hello"]


def test_a_request_without_tools_may_take_a_turn_if_the_script_says_so(client_of):
    with ModelServer(SAY, without_tools="turn") as server:
        client = client_of(server)
        assert client.dialect.said(client.says("hello", tools=())) == SAY["say"]


def test_a_helper_with_tools_of_its_own_uses_up_no_turn(client_of):
    with ModelServer(SAY) as server:
        client = client_of(server)
        client.says("You are now acting as the memory extraction subagent. Analyze the messages.")
        assert [request.turn for request in server.requests] == [0]


def test_a_fault_takes_its_turn_and_the_next_request_goes_on(client_of):
    with ModelServer({"error": 429, "retry_after": 1}, SAY) as server:
        client = client_of(server)
        refused = client.says("hello")
        assert (refused.status, refused.headers["Retry-After"]) == (429, "1")
        assert client.dialect.said(client.says("hello")) == SAY["say"]
        assert [request.turn for request in server.requests] == [1, 2]


def test_an_error_may_have_words_and_headers_of_its_own(client_of):
    with ModelServer({"error": 400, "message": "Your credit is too low", "headers": {"X-Reset": "17"}}) as server:
        refused = client_of(server).says("hello")
        assert (refused.status, refused.headers["X-Reset"]) == (400, "17")
        assert refused.json["error"]["message"] == "Your credit is too low"
        assert server.problems == []


def test_a_cut_stream_ends_in_the_middle(client_of):
    with ModelServer({"say": "a rather long answer " * 20, "cut": True}, SAY) as server:
        client = client_of(server)
        with pytest.raises(GONE):
            client.says("hello")
        assert client.dialect.said(client.says("hello")) == SAY["say"]


def test_a_delayed_answer_comes_later(client_of):
    with ModelServer({"say": "slow", "delay": 0.3}) as server:
        client = client_of(server)
        began = time.monotonic()
        assert client.dialect.said(client.says("hello")) == "slow"
        assert time.monotonic() - began >= 0.3


def test_a_hanging_request_gets_nothing_at_all(client_of):
    with ModelServer({"hang": True}, SAY) as server:
        client = client_of(server)
        with pytest.raises(TimeoutError):
            client.says("hello", seconds=0.3)
        server.wait_for_turn(1)
        assert client.dialect.said(client.says("hello")) == SAY["say"]


def test_an_answer_may_begin_and_then_hang(streaming):
    with ModelServer({"say": "a rather long answer " * 20, "hang": True}) as server:
        dialect = streaming(server).dialect
        body = json.dumps(dialect.body(dialect.user("hello"), stream=True)).encode()
        path = getattr(dialect, "streaming_path", dialect.path)
        with socket.create_connection(server.url.removeprefix("http://").split(":"), timeout=20) as connection:
            head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            received = b""
            while b"rather long" not in received:
                received += connection.recv(65536)
            connection.settimeout(0.3)
            with pytest.raises(TimeoutError):
                _drain(connection)
        assert received.startswith(b"HTTP/1.1 200 OK")


def _drain(connection):
    while connection.recv(65536):
        pass


def test_closing_the_server_ends_what_hangs():
    before = threading.active_count()
    client_sees = []

    def hang(url):
        try:
            Client(DIALECTS["chat"], url).says("hello")
        except GONE as error:
            client_sees.append(error)

    with ModelServer({"hang": True}) as server:
        waiting = threading.Thread(target=hang, args=(server.url,))
        waiting.start()
        server.wait_for_turn(1)
        began = time.monotonic()
    waiting.join(10)
    assert time.monotonic() - began < 5
    assert len(client_sees) == 1
    assert threading.active_count() == before


def test_a_client_that_leaves_during_a_delay_is_forgotten():
    with ModelServer({"say": "late", "delay": 600}, SAY) as server:
        client = Client(DIALECTS["chat"], server.url)
        with pytest.raises(TimeoutError):
            client.says("hello", seconds=0.2)
        server.wait_for_turn(1)
        assert client.dialect.said(client.says("hello")) == SAY["say"]


def test_requests_at_the_same_time_take_different_turns():
    turns = [{"say": str(number)} for number in range(40)]
    said = []
    with ModelServer(*turns) as server:
        client = Client(DIALECTS["chat"], server.url)
        threads = [
            threading.Thread(target=lambda: said.append(client.dialect.said(client.says("x")))) for _ in range(40)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert sorted(said, key=int) == [str(number) for number in range(40)]


def test_a_turn_is_waited_for():
    with ModelServer({"say": "one"}, {"say": "two"}) as server:
        client = Client(DIALECTS["chat"], server.url)
        asking = threading.Thread(target=lambda: [client.says("first"), client.says("second")])
        asking.start()
        assert server.wait_for_turn(2).prompt == "second"
        asking.join()
        with pytest.raises(TimeoutError, match=r"no request took turn 3 within 0\.1 seconds"):
            server.wait_for_turn(3, timeout=0.1)


def test_a_shell_command_without_a_shell_is_refused_and_told(client_of):
    with ModelServer(SHELL, SAY) as server:
        refused = client_of(server).says("hello", tools=("Read",))
        problem = "the request offers no tool that runs a shell command. It offers: Read"
        assert refused.status == 400
        assert problem in refused.json["error"]["message"]
        assert server.problems == [problem]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'{"model":"m","messages":3}', b"\xff"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_cannot_be_read_is_refused_and_uses_up_no_turn(dialect, body):
    with ModelServer(SAY) as server:
        refused = ask(server.url + DIALECTS[dialect].path, body, method="POST")
        assert refused.status == 400
        assert "cannot be read" in refused.json["error"]["message"]
        assert [request.turn for request in server.requests] == [0]


def test_the_small_questions_are_answered():
    with ModelServer(SAY) as server:
        assert ask(server.url, method="HEAD").status == 200
        assert ask(f"{server.url}/v1/models").json["data"][0]["id"] == "scripted-model"
        assert ask(f"{server.url}/v1/messages/count_tokens?beta=true", {"messages": []}).json["input_tokens"] > 0
        assert ask(f"{server.url}/v1beta/models/m:countTokens", {"contents": []}).json["totalTokens"] > 0
        assert ask(f"{server.url}/nowhere").status == 404
        assert ask(f"{server.url}/nowhere", {}).status == 404
        assert [request.turn for request in server.requests] == [0] * 6
        assert server.conversation == []


def test_only_loopback_is_listened_on():
    with ModelServer(SAY) as server:
        assert server.url.startswith("http://127.0.0.1:")
