"""The JSON schema of an answer, in the subset that every provider accepts."""

from typing import Any

import msgspec

KEPT = ("description", "type", "enum")
"""The keywords that are kept. Some providers refuse the others, and limits on values are checked when the answer is
read."""

Node = dict[str, Any]


def schema_of(kind: type[msgspec.Struct]) -> Node:
    """The schema: an object at the root, no unnamed properties, and all named ones required."""
    whole = msgspec.json.schema(kind)
    named: dict[str, Node] = {name: _portable(node) for name, node in whole.get("$defs", {}).items()}
    root = named[whole["$ref"].rpartition("/")[2]]
    mentioned = repr(list(named.values()))
    others = {name: node for name, node in named.items() if f"'#/$defs/{name}'" in mentioned}
    return root | ({"$defs": others} if others else {})


def _portable(node: Node) -> Node:
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    kept: Node = {key: node[key] for key in KEPT if key in node}
    if "enum" in node and all(isinstance(value, str) for value in node["enum"]):
        kept["type"] = "string"
    if "items" in node:
        kept["items"] = _portable(node["items"])
    if "anyOf" in node:
        kept["anyOf"] = [_portable(each) for each in node["anyOf"]]
    if "properties" in node:
        properties = {name: _portable(value) for name, value in node["properties"].items()}
        kept |= {"properties": properties, "required": list(properties), "additionalProperties": False}
    elif "additionalProperties" in node:
        kept["additionalProperties"] = _portable(node["additionalProperties"])
    return kept
