"""OpenAI Responses: `POST /v1/responses`."""

import time
from typing import Any

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
    is_list,
    objects,
    pieces,
    sse,
    text_of,
    understood,
)
from scripted_model.openai_errors import openai_error


class Responses(Protocol):
    def read(self, path: str, body: Json) -> ModelRequest:
        return understood(
            path,
            body,
            [Message("system", body.get("instructions") or ""), *_messages(body["input"])],
            model=body["model"],
            tools=[_tool(tool) for tool in objects(body.get("tools"))],
            max_tokens=body.get("max_output_tokens") or 0,
            answer_schema=_schema(inner(body, "text", "format")),
            streams=body.get("stream") is True,
        )

    def document(self, request: ModelRequest, reply: Reply) -> Json:
        return _response(request, "completed", output=_items(reply), usage=_usage(reply))

    def events(self, request: ModelRequest, reply: Reply) -> list[bytes]:
        whole = self.document(request, reply)
        begun = _begun(whole)
        events = [_event("response.created", response=begun), _event("response.in_progress", response=begun)]
        for index, item in enumerate(whole["output"]):
            events += [event | {"output_index": index} for event in _item_events(item)]
        return _numbered([*events, _event("response.completed", response=whole)])

    def error(self, request: ModelRequest, fault: Fault) -> Json:
        return {"error": openai_error(request.model, self.status(fault), fault.message)}

    def failing_events(self, request: ModelRequest, fault: Fault) -> list[bytes]:
        error = openai_error(request.model, self.status(fault), fault.message)
        failed = _response(request, "failed", error={"code": error["code"], "message": error["message"]})
        return _numbered(
            [_event("response.created", response=_begun(failed)), _event("response.failed", response=failed)]
        )


def _messages(given: Any) -> list[Message]:
    return [_message(item) for item in given] if is_list(given) else [Message("user", given)]


def _message(item: Json) -> Message:
    kind = item.get("type", "message")
    if kind == "message":
        return Message(item["role"], text_of(item["content"]))
    if kind.endswith("_output"):
        output = item["output"]
        return Message("tool", results=[text_of(output) if is_list(output) else str(output)])
    return Message("assistant")


def _tool(tool: Json) -> Tool:
    name = tool.get("name") or tool["type"]
    return Tool(name, inner(tool, "parameters"), freeform=tool["type"] == "custom")


def _schema(wanted: Json) -> Json | None:
    return {"type": "object"} if wanted.get("type") == "json_object" else inner(wanted, "schema") or None


def _response(request: ModelRequest, status: str, **more: Any) -> Json:
    head: Json = {"id": new_id("resp_"), "object": "response", "created_at": int(time.time()), "model": request.model}
    rest: Json = {"status": status, "error": None, "output": [], "usage": None}
    return head | rest | more


def _begun(response: Json) -> Json:
    rest: Json = {"status": "in_progress", "error": None, "output": [], "usage": None}
    return response | rest


def _items(reply: Reply) -> list[Json]:
    items: list[Json] = []
    if reply.text:
        part: Json = {"type": "output_text", "text": reply.text, "annotations": []}
        message = {"type": "message", "id": new_id("msg_"), "role": "assistant", "content": [part]}
        items.append(message | {"status": "completed"})
    if call := reply.call:
        head = {"call_id": new_id("call_"), "name": call.name, "status": "completed"}
        if call.freeform:
            items.append({"type": "custom_tool_call", "id": new_id("ctc_"), "input": call.arguments} | head)
        else:
            items.append({"type": "function_call", "id": new_id("fc_"), "arguments": call.arguments} | head)
    return items


def _item_events(item: Json) -> list[Json]:
    done = _event("response.output_item.done", item=item)
    if item["type"] == "message":
        part = item["content"][0]
        at = {"item_id": item["id"], "content_index": 0}
        return [
            _event("response.output_item.added", item=item | {"content": [], "status": "in_progress"}),
            _event("response.content_part.added", part=part | {"text": ""}, **at),
            *(_event("response.output_text.delta", delta=piece, **at) for piece in pieces(part["text"])),
            _event("response.output_text.done", text=part["text"], **at),
            _event("response.content_part.done", part=part, **at),
            done,
        ]
    argument, kind = (
        ("input", "custom_tool_call_input") if "input" in item else ("arguments", "function_call_arguments")
    )
    at = {"item_id": item["id"]}
    return [
        _event("response.output_item.added", item=item | {argument: "", "status": "in_progress"}),
        *(_event(f"response.{kind}.delta", delta=piece, **at) for piece in pieces(item[argument])),
        _event(f"response.{kind}.done", **{argument: item[argument]}, **at),
        done,
    ]


def _event(kind: str, **fields: Any) -> Json:
    return {"type": kind} | fields


def _numbered(events: list[Json]) -> list[bytes]:
    return [sse(event | {"sequence_number": number}, event["type"]) for number, event in enumerate(events)]


def _usage(reply: Reply) -> Json:
    usage = reply.usage
    return {
        "input_tokens": usage.all_input,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.all_input + usage.output,
    }
