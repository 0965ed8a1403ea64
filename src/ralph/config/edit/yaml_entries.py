"""The entries of a YAML mapping in its text."""

from typing import Any

import yaml

from ralph.config.edit.entries import Group, KeyPosition
from ralph.config.yaml_text import FastestLoader


def yaml_entries(text: str) -> Group | None:
    """The entries of a text that was parsed before, so it is valid; None if it has only comments."""
    library: Any = yaml
    node = library.compose(text, FastestLoader)
    return _group(text, node) if isinstance(node, yaml.MappingNode) else None


def _group(text: str, node: Any) -> Group:
    entries = tuple(_entry(text, key, value) for key, value in node.value)
    return Group(node.start_mark.index, _end(text, node), entries, is_flow=bool(node.flow_style))


def _entry(text: str, key: Any, value: Any) -> KeyPosition:
    below = _group(text, value) if isinstance(value, yaml.MappingNode) else None
    colon = text.index(":", key.end_mark.index) + 1
    return KeyPosition(str(key.value), key.start_mark.index, colon, value.start_mark.index, _end(text, value), below)


def _end(text: str, node: Any) -> int:
    """The end of a node's content: a node in block style includes the comments that follow it."""
    begin, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last: Any = node.value[-1]
        return _end(text, last[1] if isinstance(node, yaml.MappingNode) else last)
    return begin + len(text[begin:end].rstrip())
