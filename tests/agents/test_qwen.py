"""What is peculiar to Qwen Code's stream: an API error looks like a success."""

import json

import pytest

from ralph.agents.qwen import QwenParser
from ralph.model.events import Tokens


def parsed(*lines):
    parser = QwenParser()
    parser.feed("\n".join(map(json.dumps, lines)).encode(), None)
    parser.finish(None)
    return parser


def said(text, output_tokens):
    usage = {"input_tokens": output_tokens, "output_tokens": output_tokens}
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}], "usage": usage}}


def result(text, **usage):
    return {"type": "result", "subtype": "success", "is_error": False, "result": text, "usage": usage}


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("[API Error: 401 invalid api key]", "auth"),
        ("[API Error: 404 The model `m` does not exist]", "model"),
        ("[API Error: 400 This model's maximum context length is 128000 tokens]", "prompt_too_long"),
        ("[API Error: 429 Too many requests]", "quota"),
        ("[API Error: Connection error. (cause: fetch failed)]", "other"),
    ],
)
def test_an_api_error_is_one_although_it_is_told_as_a_success(words, kind):
    parser = parsed(said("I will look.", 20), said(words, 0), result(words, output_tokens=20))
    assert (parser.result.is_error, parser.result.problem.kind) == (True, kind)


def test_an_agent_that_speaks_of_an_api_error_has_none():
    words = "[API Error: 429 Too many requests] is what the log says."
    parser = parsed(said(words, 20), result(words, output_tokens=20))
    assert (parser.result.is_error, parser.result.problem) == (False, None)


def test_a_message_without_tokens_that_is_no_api_error_is_a_message():
    assert not parsed(said("Done.", 0), result("Done.")).result.is_error


def test_cached_tokens_are_counted_once():
    parser = parsed(said("Done.", 20), result("Done.", input_tokens=130, output_tokens=20, cache_read_input_tokens=30))
    assert parser.result.tokens == Tokens(100, 20, 30)
