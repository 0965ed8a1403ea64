"""Asking the scripted model server, as each provider's clients do."""

import json
import urllib.error
import urllib.request
from http.client import HTTPException

# Whatever proxy this machine has, loopback is asked directly.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
SECONDS = 20


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def events(self):
        """The data of each server-sent event."""
        frames = self.body.decode().removesuffix("\n\n").split("\n\n")
        data = [frame.splitlines()[-1].removeprefix("data: ") for frame in frames]
        return [json.loads(each) for each in data if each != "[DONE]"]

    @property
    def documents(self):
        return self.events if self.headers["Content-Type"] == "text/event-stream" else [self.json]


def ask(url, body=None, method=None, seconds=SECONDS):
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)  # noqa: S310 - loopback
    try:
        with OPENER.open(request, timeout=seconds) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.headers, error.read())


def _whole(tool, made_of_its_name):
    """A tool that was given in full, or the one made of its name."""
    return tool if isinstance(tool, dict) else made_of_its_name


class Anthropic:
    path = "/v1/messages"

    def body(self, *messages, tools=("Bash",), **more):
        offered = [{"name": name, "description": "", "input_schema": SHELL} for name in tools]
        return {"model": "m", "max_tokens": 1000, "messages": list(messages), "tools": offered} | more

    def user(self, text):
        return {"role": "user", "content": text}

    def exchange(self, result):
        call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "x"}}
        answer = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": result}]}
        return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]

    def said(self, answer):
        if answer.headers["Content-Type"] == "application/json":
            return "".join(block.get("text", "") for block in answer.json["content"])
        return "".join(event["delta"].get("text", "") for event in answer.events if "delta" in event)

    def called(self, answer):
        if answer.headers["Content-Type"] == "application/json":
            return next((block["name"], block["input"]) for block in answer.json["content"] if "input" in block)
        blocks = [event["content_block"] for event in answer.events if "content_block" in event]
        arguments = [event["delta"].get("partial_json", "") for event in answer.events if "delta" in event]
        return blocks[-1]["name"], json.loads("".join(arguments))


class Chat:
    path = "/v1/chat/completions"

    def body(self, *messages, tools=("bash",), **more):
        offered = [
            _whole(tool, {"type": "function", "function": {"name": tool, "parameters": SHELL}}) for tool in tools
        ]
        return {"model": "m", "messages": list(messages), "tools": offered} | more

    def user(self, text):
        return {"role": "user", "content": [{"type": "text", "text": text}]}

    def exchange(self, result):
        call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        answer = {"role": "tool", "tool_call_id": "c1", "content": result}
        return [{"role": "assistant", "content": None, "tool_calls": [call]}, answer]

    def said(self, answer):
        return "".join(message.get("content") or "" for message in self._messages(answer))

    def called(self, answer):
        calls = [message["tool_calls"][0]["function"] for message in self._messages(answer) if "tool_calls" in message]
        return calls[0]["name"], json.loads(calls[0]["arguments"])

    def _messages(self, answer):
        choices = [choice for document in answer.documents for choice in document["choices"]]
        return [choice.get("message") or choice["delta"] for choice in choices]


class Responses:
    path = "/v1/responses"

    def body(self, *items, tools=("exec_command",), **more):
        offered = [_whole(tool, {"type": "function", "name": tool, "parameters": SHELL}) for tool in tools]
        return {"model": "m", "input": list(items), "tools": offered} | more

    def user(self, text):
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    def exchange(self, result):
        call = {"type": "function_call", "call_id": "c1", "name": "exec_command", "arguments": "{}"}
        return [call, {"type": "function_call_output", "call_id": "c1", "output": result}]

    def said(self, answer):
        return "".join(part["text"] for item in self._items(answer) for part in item.get("content", ()))

    def called(self, answer):
        call = next(item for item in self._items(answer) if item["type"] == "function_call")
        return call["name"], json.loads(call["arguments"])

    def _items(self, answer):
        last = answer.documents[-1]
        return (last.get("response") or last)["output"]


class Gemini:
    path = "/v1beta/models/m:generateContent"
    streaming_path = "/v1beta/models/m:streamGenerateContent?alt=sse"

    def body(self, *contents, tools=("run_shell_command",), **more):
        declared = [{"name": name, "parametersJsonSchema": SHELL} for name in tools]
        return {"contents": list(contents), "tools": [{"functionDeclarations": declared}]} | more

    def user(self, text):
        return {"role": "user", "parts": [{"text": text}]}

    def exchange(self, result):
        call = {"functionCall": {"name": "run_shell_command", "args": {}}}
        answer = {"functionResponse": {"name": "run_shell_command", "response": {"output": result}}}
        return [{"role": "model", "parts": [call]}, {"role": "user", "parts": [answer]}]

    def said(self, answer):
        return "".join(part.get("text", "") for part in self._parts(answer))

    def called(self, answer):
        call = next(part["functionCall"] for part in self._parts(answer) if "functionCall" in part)
        return call["name"], call["args"]

    def _parts(self, answer):
        return [part for document in answer.documents for part in document["candidates"][0]["content"]["parts"]]


class Client:
    """A provider's client, talking to one server."""

    def __init__(self, dialect, url, *, stream=False):
        self.dialect = dialect
        self._url = url
        self._stream = stream

    def send(self, *messages, seconds=SECONDS, **more):
        path = self.dialect.path
        if isinstance(self.dialect, Gemini):
            path = self.dialect.streaming_path if self._stream else path
        else:
            more = {"stream": self._stream} | more
        return ask(self._url + path, self.dialect.body(*messages, **more), seconds=seconds)

    def says(self, text, /, **more):
        """The answer to a user's first words."""
        return self.send(self.dialect.user(text), **more)

    def reports(self, text, result):
        """The answer to a tool's result."""
        return self.send(self.dialect.user(text), *self.dialect.exchange(result))


DIALECTS = {"anthropic": Anthropic(), "chat": Chat(), "responses": Responses(), "gemini": Gemini()}
GONE = (HTTPException, OSError)
"""What a client sees of a connection that is cut."""
