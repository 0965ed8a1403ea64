"""OpenAI Chat Completions: `POST /v1/chat/completions`."""

import time

from ralph.testing.formats.base import new_id
from scripted_model.base import (
    Fault,
    Json,
    Message,
    ModelRequest,
    Protocol,
    Reply,
    Tool,
    inner,
    objects,
    pieces,
    sse,
    text_of,
    understood,
)
from scripted_model.openai_errors import openai_error


class Chat(Protocol):
    def read(self, path: str, body: Json) -> ModelRequest:
        functions = [inner(tool, "function") for tool in objects(body.get("tools"))]
        return understood(
            path,
            body,
            [_message(message) for message in body["messages"]],
            model=body["model"],
            tools=[Tool(function["name"], inner(function, "parameters")) for function in functions],
            max_tokens=body.get("max_completion_tokens") or body.get("max_tokens") or 0,
            answer_schema=_schema(inner(body, "response_format")),
            streams=body.get("stream") is True,
        )

    def document(self, request: ModelRequest, reply: Reply) -> Json:
        message: Json = {"role": "assistant", "content": reply.text or None} | _calls(reply)
        choice = {"index": 0, "message": message, "finish_reason": _finish(reply), "logprobs": None}
        return _head(request, "chat.completion") | {"choices": [choice], "usage": _usage(reply)}

    def events(self, request: ModelRequest, reply: Reply) -> list[bytes]:
        head = _head(request, "chat.completion.chunk")
        deltas: list[Json] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for piece in pieces(reply.text)]
        if reply.call:
            deltas.append(_calls(reply))
        chunks = [head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        last: Json = {"index": 0, "delta": {}, "finish_reason": _finish(reply)}
        chunks.append(head | {"choices": [last]})
        if inner(request.body, "stream_options").get("include_usage"):
            chunks.append(head | {"choices": [], "usage": _usage(reply)})
        return [*(sse(chunk) for chunk in chunks), sse("[DONE]")]

    def error(self, request: ModelRequest, fault: Fault) -> Json:
        return {"error": openai_error(request.model, self.status(fault), fault.message)}

    def failing_events(self, request: ModelRequest, fault: Fault) -> list[bytes]:
        begun = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}
        return [sse(_head(request, "chat.completion.chunk") | begun), sse(self.error(request, fault))]


def _message(message: Json) -> Message:
    text = text_of(message.get("content"))
    if message["role"] == "tool":
        return Message("tool", results=[text])
    return Message(message["role"], text)


def _schema(wanted: Json) -> Json | None:
    # An object of any kind, where no schema is named.
    return {"type": "object"} if wanted.get("type") == "json_object" else inner(wanted, "json_schema", "schema") or None


def _head(request: ModelRequest, kind: str) -> Json:
    return {"id": new_id("chatcmpl-"), "object": kind, "created": int(time.time()), "model": request.model}


def _calls(reply: Reply) -> Json:
    if not reply.call:
        return {}
    function = {"name": reply.call.name, "arguments": reply.call.arguments}
    return {"tool_calls": [{"index": 0, "id": new_id("call_"), "type": "function", "function": function}]}


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.call else "stop"


def _usage(reply: Reply) -> Json:
    usage = reply.usage
    return {
        "prompt_tokens": usage.all_input,
        "completion_tokens": usage.output,
        "total_tokens": usage.all_input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    }
