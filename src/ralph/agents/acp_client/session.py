"""One session with an agent: initialise, open it, choose a model, send the prompt, and learn how the turn ended."""

import os
from typing import Any

import msgspec
from msgspec import Struct

from ralph import __version__
from ralph.agents.acp_client import DENIED
from ralph.agents.acp_client.dialogue import Dialogue, Message, Refused, note
from ralph.agents.acp_client.permissions import Asking, Policy, Request, choose, permits

PROTOCOL = 1
# It offers no file system and no terminal: those are for an editor's unsaved buffers. Without them an agent uses its
# own tools, inside its own sandbox, and does nothing in our name.
CAPABILITIES = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}


class Introduced(Struct, rename="camel"):
    protocol_version: int = PROTOCOL


class ConfigOption(Struct):
    id: str = ""
    category: str | None = None


class Opened(Struct, rename="camel"):
    session_id: str
    models: dict[str, Any] | None = None
    config_options: list[ConfigOption] | None = None


class Turn(Struct, rename="camel"):
    stop_reason: str = ""


class Trouble(Exception):
    """There will be no answer, for this reason. The kind is one of ralph's problems."""

    def __init__(self, message: str, kind: str = "other") -> None:
        super().__init__(message)
        self.kind = kind


class Session:
    def __init__(self, command: list[str], policy: Policy) -> None:
        self._dialogue = Dialogue(command, self._answer)
        self._policy: Policy = policy
        self._id = ""
        self.cancelled = False

    def run(self, prompt: str, model: str) -> str:
        """The stop reason of the turn."""
        mine = {"name": "ralph", "title": "ralph", "version": __version__}
        hello = {"protocolVersion": PROTOCOL, "clientCapabilities": CAPABILITIES, "clientInfo": mine}
        version = self._ask("initialize", hello, Introduced).protocol_version
        if version != PROTOCOL:
            raise Trouble(f"the agent speaks version {version} of the protocol, ralph speaks {PROTOCOL}")
        opened = self._ask("session/new", {"cwd": os.getcwd(), "mcpServers": []}, Opened)  # noqa: PTH109 - spares an import
        self._id = opened.session_id
        if model:
            self._choose_model(opened, model)
        said = [{"type": "text", "text": prompt}]
        return self._ask("session/prompt", {"sessionId": self._id, "prompt": said}, Turn).stop_reason

    def cancel(self) -> bool:
        """Ask the agent to end its turn. False if there is none."""
        self.cancelled = True
        if self._id:
            self._dialogue.tell("session/cancel", {"sessionId": self._id})
        return bool(self._id)

    def end(self) -> None:
        self._dialogue.end()

    def _choose_model(self, opened: Opened, model: str) -> None:
        options = [option.id for option in opened.config_options or [] if "model" in (option.category, option.id)]
        try:
            if options:
                chosen = {"sessionId": self._id, "configId": options[0], "value": model}
                self._dialogue.ask("session/set_config_option", chosen)
            elif opened.models is not None:
                # Agents offered models this way before the protocol had options.
                self._dialogue.ask("session/set_model", {"sessionId": self._id, "modelId": model})
            else:
                raise Trouble(f"the agent does not let ralph choose its model, so it cannot be {model!r}", "model")
        except Refused as error:
            raise Trouble(f"the agent does not take the model {model!r}: {error}", "model") from error

    def _ask(self, method: str, params: dict[str, Any], kind: type[Any]) -> Any:
        result = self._dialogue.ask(method, params)
        try:
            return msgspec.json.decode(result, type=kind)
        except msgspec.DecodeError as error:
            raise Trouble(f"the agent's answer to {method} is not as the protocol says: {error}") from error

    def _answer(self, message: Message) -> Any:
        if message.method != "session/request_permission":
            return NotImplemented
        try:
            request = msgspec.json.decode(message.params, type=Request)
            tool = msgspec.json.decode(request.tool_call, type=Asking)
        except msgspec.DecodeError:
            return NotImplemented
        if self.cancelled:
            return {"outcome": {"outcome": "cancelled"}}
        permitted = permits(self._policy, tool.kind)
        option = choose(request.options, permitted=permitted)
        if not permitted or option is None:
            note(DENIED, {"toolCall": request.tool_call})
        if option is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": option.option_id}}
