"""Gemini: `POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`."""

import re
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
    dumps,
    inner,
    objects,
    pieces,
    sse,
    text_of,
    understood,
)

MODEL = re.compile(r"/models/([^/:]+):")
ERRORS = {
    400: (
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    401: ("UNAUTHENTICATED", "Request had invalid authentication credentials."),
    403: ("PERMISSION_DENIED", "The caller does not have permission"),
    404: ("NOT_FOUND", "models/{model} is not found for API version v1beta, or is not supported for generateContent."),
    429: ("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    503: ("UNAVAILABLE", "The model is overloaded. Please try again later."),
}
OTHERS = ("INTERNAL", "An internal error has occurred. Please retry.")
RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"


class Gemini(Protocol):
    def read(self, path: str, body: Json) -> ModelRequest:
        config = inner(body, "generationConfig")
        declared = [tool for group in objects(body.get("tools")) for tool in objects(group.get("functionDeclarations"))]
        found = MODEL.search(path)
        return understood(
            path,
            body,
            [
                Message("system", text_of(inner(body, "systemInstruction").get("parts"))),
                *map(_message, body["contents"]),
            ],
            model=found[1] if found else "",
            tools=[
                Tool(tool["name"], inner(tool, "parametersJsonSchema") or inner(tool, "parameters"))
                for tool in declared
            ],
            max_tokens=config.get("maxOutputTokens") or 0,
            answer_schema=_schema(config),
            streams=":streamGenerateContent" in path and "alt=sse" in path,
        )

    def document(self, request: ModelRequest, reply: Reply) -> Any:
        parts: list[Json] = [{"text": reply.text}] if reply.text else []
        whole = _chunk(request, reply, [*parts, *_call(reply)], last=True)
        # Asked for a stream without `alt=sse` it answers with a list.
        return [whole] if request.path.endswith(":streamGenerateContent") else whole

    def events(self, request: ModelRequest, reply: Reply) -> list[bytes]:
        parts: list[Json] = [{"text": piece} for piece in pieces(reply.text)]
        chunks = [_chunk(request, reply, [part]) for part in [*parts, *_call(reply)]]
        return [sse(chunk) for chunk in [*chunks, _chunk(request, reply, [{"text": ""}], last=True)]]

    def error(self, request: ModelRequest, fault: Fault) -> Json:
        status = self.status(fault)
        name, words = ERRORS.get(status, OTHERS)
        error: Json = {"code": status, "message": fault.message or words.format(model=request.model), "status": name}
        if fault.retry_after is not None:
            error["details"] = [{"@type": RETRY_INFO, "retryDelay": f"{fault.retry_after:g}s"}]
        return {"error": error}

    def failing_events(self, request: ModelRequest, fault: Fault) -> list[bytes]:
        return [sse(_chunk(request, Reply(), [{"text": ""}])), sse(self.error(request, fault))]


def _message(content: Json) -> Message:
    answers = [inner(part, "functionResponse", "response") for part in content["parts"] if "functionResponse" in part]
    return Message(content.get("role", "user"), text_of(content["parts"]), [_result(answer) for answer in answers])


def _result(answer: Json) -> str:
    output = answer.get("output")
    return output if isinstance(output, str) else dumps(answer)


def _schema(config: Json) -> Json | None:
    found = inner(config, "responseJsonSchema") or inner(config, "responseSchema")
    return found or ({"type": "object"} if config.get("responseMimeType") == "application/json" else None)


def _call(reply: Reply) -> list[Json]:
    if not reply.call:
        return []
    return [{"functionCall": {"id": new_id("call_"), "name": reply.call.name, "args": reply.call.input}}]


def _chunk(request: ModelRequest, reply: Reply, parts: list[Json], *, last: bool = False) -> Json:
    candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
    if last:
        candidate["finishReason"] = "STOP"
    return {"candidates": [candidate], "usageMetadata": _usage(reply), "modelVersion": request.model}


def _usage(reply: Reply) -> Json:
    usage = reply.usage
    return {
        "promptTokenCount": usage.all_input,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": usage.all_input + usage.output,
    }
