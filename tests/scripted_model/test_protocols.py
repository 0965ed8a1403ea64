"""The wire form of each protocol, as its provider documents it and the real programs read it."""

import pytest

from asking import DIALECTS, Client, ask
from scripted_model import ModelServer

USAGE = {"input": 7, "output": 3, "cache_read": 20, "cache_write": 1}
TURN = {"say": "I will look.", "tool": {"shell": "ls"}}
END = {"say": "Done."}


def answered(name, *turns, stream=True, **options):
    """What a client of this protocol gets for the first turn."""
    with ModelServer(*turns, END, **options) as server:
        return Client(DIALECTS[name], server.url, stream=stream).says(
            "hello", **({"stream_options": {"include_usage": True}} if name == "chat" else {})
        )


def test_anthropic_streams_blocks_of_one_message():
    events = answered("anthropic", TURN, usage=USAGE).events
    kinds = [event["type"] for event in events]
    assert [kind for at, kind in enumerate(kinds) if kind != kinds[at - 1]] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert events[0]["message"]["usage"] == {
        "input_tokens": 7,
        "cache_creation_input_tokens": 1,
        "cache_read_input_tokens": 20,
        "output_tokens": 1,
    }
    assert [event["content_block"]["type"] for event in events if "content_block" in event] == ["text", "tool_use"]
    assert events[-2]["delta"]["stop_reason"] == "tool_use"
    assert events[-2]["usage"]["output_tokens"] == 3


def test_anthropic_names_each_event():
    body = answered("anthropic", END).body
    assert body.startswith(b"event: message_start\ndata: {")
    assert body.endswith(b'event: message_stop\ndata: {"type":"message_stop"}\n\n')


def test_anthropic_answers_at_once_too():
    message = answered("anthropic", TURN, stream=False, usage=USAGE).json
    assert (message["role"], message["stop_reason"], message["usage"]["output_tokens"]) == ("assistant", "tool_use", 3)
    assert [block["type"] for block in message["content"]] == ["text", "tool_use"]


def test_responses_stream_each_item_and_end_with_the_whole():
    events = answered("responses", TURN, usage=USAGE).events
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    kinds = [event["type"].removeprefix("response.") for event in events]
    assert kinds[:2] == ["created", "in_progress"]
    assert kinds[-1] == "completed"
    assert [kind for kind in kinds if "delta" not in kind][2:-1] == [
        "output_item.added",
        "content_part.added",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.done",
        "output_item.done",
    ]
    whole = events[-1]["response"]
    assert (whole["status"], [item["type"] for item in whole["output"]]) == ("completed", ["message", "function_call"])
    assert whole["usage"] == {
        "input_tokens": 28,
        "input_tokens_details": {"cached_tokens": 20},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 31,
    }
    assert events[0]["response"]["output"] == []


def test_a_tool_that_takes_text_is_called_with_text():
    patch = {"tool": {"name": "apply_patch", "input": {"input": "*** Begin Patch\n"}}}
    with ModelServer(patch, END) as server:
        client = Client(DIALECTS["responses"], server.url, stream=True)
        offered = [{"type": "custom", "name": "apply_patch", "format": {"type": "grammar"}}]
        (item,) = client.says("hello", tools=offered).events[-1]["response"]["output"]
    assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", "apply_patch", "*** Begin Patch\n")


def test_responses_take_a_prompt_as_plain_text():
    with ModelServer(END) as server:
        Client(DIALECTS["responses"], server.url).send(input="just text")
        assert server.requests[0].prompt == "just text"


def test_chat_streams_one_choice_then_its_usage():
    answer = answered("chat", TURN, usage=USAGE)
    assert answer.body.endswith(b"data: [DONE]\n\n")
    *chunks, usage = answer.events
    choices = [chunk["choices"][0] for chunk in chunks]
    assert choices[0]["delta"] == {"role": "assistant", "content": ""}
    assert [choice["finish_reason"] for choice in choices] == [None] * (len(choices) - 1) + ["tool_calls"]
    assert len({chunk["id"] for chunk in chunks}) == 1
    assert (usage["choices"], usage["usage"]["prompt_tokens"], usage["usage"]["total_tokens"]) == ([], 28, 31)
    assert usage["usage"]["prompt_tokens_details"] == {"cached_tokens": 20}


def test_chat_streams_no_usage_that_was_not_asked_for():
    with ModelServer(END) as server:
        answer = Client(DIALECTS["chat"], server.url, stream=True).says("hello")
    assert all(chunk["choices"] for chunk in answer.events)


def test_gemini_streams_parts_and_ends_with_a_reason():
    chunks = answered("gemini", TURN, usage=USAGE).events
    reasons = [chunk["candidates"][0].get("finishReason") for chunk in chunks]
    assert reasons == [None] * (len(chunks) - 1) + ["STOP"]
    assert chunks[-1]["usageMetadata"] == {
        "promptTokenCount": 28,
        "cachedContentTokenCount": 20,
        "candidatesTokenCount": 3,
        "totalTokenCount": 31,
    }


def test_gemini_streams_a_list_where_no_events_are_asked_for():
    gemini = DIALECTS["gemini"]
    with ModelServer(END) as server:
        path = "/v1beta/models/m:streamGenerateContent"
        (whole,) = ask(server.url + path, gemini.body(gemini.user("hello"))).json
    assert whole["candidates"][0]["content"]["parts"] == [{"text": "Done."}]


@pytest.mark.parametrize(
    ("name", "status", "answered_with", "kind"),
    [
        ("anthropic", 400, 400, "invalid_request_error"),
        ("anthropic", 401, 401, "authentication_error"),
        ("anthropic", 404, 404, "not_found_error"),
        ("anthropic", 429, 429, "rate_limit_error"),
        ("anthropic", 500, 500, "api_error"),
        ("anthropic", 529, 529, "overloaded_error"),
        *(
            (name, *case)
            for name in ("chat", "responses")
            for case in (
                (400, 400, "context_length_exceeded"),
                (401, 401, "invalid_api_key"),
                (404, 404, "model_not_found"),
                (429, 429, "rate_limit_exceeded"),
                (500, 500, "server_error"),
                (529, 503, "server_is_overloaded"),
            )
        ),
        ("gemini", 400, 400, "INVALID_ARGUMENT"),
        ("gemini", 401, 401, "UNAUTHENTICATED"),
        ("gemini", 404, 404, "NOT_FOUND"),
        ("gemini", 429, 429, "RESOURCE_EXHAUSTED"),
        ("gemini", 500, 500, "INTERNAL"),
        ("gemini", 529, 503, "UNAVAILABLE"),
    ],
)
def test_each_provider_refuses_in_its_own_words(name, status, answered_with, kind):
    refused = answered(name, {"error": status})
    error = refused.json["error"]
    assert refused.status == answered_with
    assert kind in (error.get("type"), error.get("code"), error.get("status"))
    assert error["message"]


@pytest.mark.parametrize("name", ["anthropic", "chat", "responses", "gemini"])
def test_a_model_that_does_not_exist_is_named(name):
    words = {"anthropic": "model: m", "chat": "The model `m` does not", "responses": "The model `m` does not"}
    assert words.get(name, "models/m is not found") in answered(name, {"error": 404}).json["error"]["message"]


def test_gemini_tells_when_to_try_again():
    error = answered("gemini", {"error": 429, "retry_after": 2.5}).json["error"]
    assert error["details"] == [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2.5s"}]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("anthropic", lambda event: event["error"]["type"] == "overloaded_error"),
        ("chat", lambda event: event["error"]["code"] == "server_is_overloaded"),
        ("responses", lambda event: event["response"]["error"]["code"] == "server_is_overloaded"),
        ("gemini", lambda event: event["error"]["status"] == "UNAVAILABLE"),
    ],
)
def test_a_fault_may_come_in_a_stream_that_began_well(name, told):
    answer = answered(name, {"error": 529, "in_stream": True})
    assert answer.status == 200
    assert told(answer.events[-1])
    assert len(answer.events) == 2


def test_without_a_stream_it_comes_as_a_plain_refusal():
    assert answered("anthropic", {"error": 529, "in_stream": True}, stream=False).status == 529


def test_a_turn_may_count_tokens_of_its_own():
    turn = END | {"usage": {"output": 99}}
    usage = answered("anthropic", turn, stream=False, usage=USAGE).json["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (7, 99)
