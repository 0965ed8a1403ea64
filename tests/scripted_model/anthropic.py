"""Anthropic Messages: `POST /v1/messages`."""

from ralph.testing.formats.base import new_id
from scripted_model.base import (
    Fault,
    Json,
    Message,
    ModelRequest,
    Protocol,
    Reply,
    Tool,
    dumps,
    inner,
    objects,
    pieces,
    sse,
    text_of,
    understood,
)

ERRORS = {
    400: ("invalid_request_error", "prompt is too long: 214096 tokens > 200000 maximum"),
    401: ("authentication_error", "invalid x-api-key"),
    403: ("permission_error", "Your API key does not have permission to use the specified resource"),
    404: ("not_found_error", "model: {model}"),
    413: ("request_too_large", "Request exceeds the maximum size"),
    429: ("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
    529: ("overloaded_error", "Overloaded"),
}


class Anthropic(Protocol):
    overloaded = 529

    def read(self, path: str, body: Json) -> ModelRequest:
        return understood(
            path,
            body,
            [Message("system", text_of(body.get("system"))), *map(_message, body["messages"])],
            model=body["model"],
            tools=[Tool(tool["name"], tool.get("input_schema", {})) for tool in objects(body.get("tools"))],
            max_tokens=body.get("max_tokens") or 0,
            answer_schema=_schema(body),
            streams=body.get("stream") is True,
        )

    def document(self, request: ModelRequest, reply: Reply) -> Json:
        told = {"content": _blocks(reply), "stop_reason": _stop(reply), "usage": _usage(reply)}
        return _start(request, reply) | told

    def events(self, request: ModelRequest, reply: Reply) -> list[bytes]:
        events: list[Json] = [{"type": "message_start", "message": _start(request, reply)}]
        for index, block in enumerate(_blocks(reply)):
            empty, deltas = _streamed(block)
            events.append({"type": "content_block_start", "index": index, "content_block": empty})
            events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            events.append({"type": "content_block_stop", "index": index})
        end = {"stop_reason": _stop(reply), "stop_sequence": None}
        events.append({"type": "message_delta", "delta": end, "usage": _usage(reply)})
        events.append({"type": "message_stop"})
        return [sse(event, event["type"]) for event in events]

    def error(self, request: ModelRequest, fault: Fault) -> Json:
        kind, words = ERRORS.get(self.status(fault), ("api_error", "Internal server error"))
        message = fault.message or words.format(model=request.model)
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": new_id("req_")}

    def failing_events(self, request: ModelRequest, fault: Fault) -> list[bytes]:
        begun = {"type": "message_start", "message": _start(request, Reply())}
        return [sse(begun, "message_start"), sse(self.error(request, fault), "error")]


def _message(message: Json) -> Message:
    parts = objects(message["content"])
    results = [text_of(part.get("content")) for part in parts if part.get("type") == "tool_result"]
    return Message(message["role"], text_of(message["content"]), results)


def _schema(body: Json) -> Json | None:
    return inner(body, "output_config", "format", "schema") or inner(body, "output_format", "schema") or None


def _start(request: ModelRequest, reply: Reply) -> Json:
    return {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(reply) | {"output_tokens": 1},
    }


def _blocks(reply: Reply) -> list[Json]:
    blocks: list[Json] = [{"type": "text", "text": reply.text}] if reply.text else []
    if call := reply.call:
        blocks.append({"type": "tool_use", "id": new_id("toolu_"), "name": call.name, "input": call.input})
    return blocks


def _streamed(block: Json) -> tuple[Json, list[Json]]:
    """The block as it begins, and what is then streamed into it."""
    if block["type"] == "text":
        return block | {"text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    arguments = pieces(dumps(block["input"]))
    return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in arguments]


def _stop(reply: Reply) -> str:
    return "tool_use" if reply.call else "end_turn"


def _usage(reply: Reply) -> Json:
    return {
        "input_tokens": reply.usage.input,
        "cache_creation_input_tokens": reply.usage.cache_write,
        "cache_read_input_tokens": reply.usage.cache_read,
        "output_tokens": reply.usage.output,
    }
