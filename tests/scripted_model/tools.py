"""A tool call by its kind, in the words of the tools that a request offers."""

from typing import Any

from ralph.testing.shapes import ScriptError
from scripted_model.base import Json, Tool, ToolCall, is_list, is_object

# The names under which the known programs offer a shell; others are found by a part of the name.
SHELLS = ("Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell")
SHELL_WORDS = ("shell", "bash", "exec", "terminal", "command")
COMMAND_ARGUMENTS = ("command", "cmd", "script")
EXAMPLES: dict[str, Any] = {"string": "scripted", "boolean": False, "array": [], "null": None}


def called(wanted: Json, tools: list[Tool]) -> ToolCall:
    """The call that a script asks for: `{shell: command}`, or `{name, input}` to the letter."""
    if "shell" in wanted:
        return _shell_call(wanted["shell"], tools)
    freeform = any(tool.name == wanted["name"] and tool.freeform for tool in tools)
    return ToolCall(wanted["name"], wanted.get("input", {}), freeform)


def example(schema: Json) -> Any:
    """A value that the schema allows, as small as can be."""
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if choices := schema.get("enum"):
        return choices[0]
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        return example(branches[0])
    kind = _type(schema)
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: example(properties.get(name, {})) for name in schema.get("required", ())}
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return EXAMPLES.get(kind)


def _shell_call(command: str, tools: list[Tool]) -> ToolCall:
    for tool in _shells(tools):
        properties: Json = tool.schema.get("properties", {})
        for name in COMMAND_ARGUMENTS:
            if is_object(properties.get(name)):
                wants_words = _type(properties[name]) == "array"
                given = ["bash", "-lc", command] if wants_words else command
                return ToolCall(tool.name, example(tool.schema) | {name: given})
    offered = ", ".join(tool.name for tool in tools) or "none"
    raise ScriptError(f"the request offers no tool that runs a shell command. It offers: {offered}")


def _shells(tools: list[Tool]) -> list[Tool]:
    known = [tool for name in SHELLS for tool in tools if tool.name == name]
    return known + [tool for tool in tools if any(word in tool.name.lower() for word in SHELL_WORDS)]


def _type(schema: Json) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "")
    # Gemini writes types in capitals; a list of types may hold "null".
    return str(next((one for one in kind if one != "null"), "null") if is_list(kind) else kind).lower()
