"""Task files as text: YAML and JSON in, YAML and JSON out. The text that is read is untrusted."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ralph.config.read import DEEPEST, LARGEST, parse_json
from ralph.config.yaml_text import FastestLoader, parse_yaml
from ralph.model.errors import ConfigError
from ralph.store.files import cannot_write

STDIN = "-"
_PLAIN = re.compile(r"[A-Za-z][\w-]*")
_OTHER_BREAKS = re.compile("[\x85\u2028\u2029]")
"""Characters that also end lines in YAML. A reader may turn them into other characters."""


def read_text(source: str, what: str, most: int = LARGEST) -> str:
    """The text of a file, or of standard input for `-`; `what` names the wanted file in an error."""
    name = source_name(source)
    try:
        if source == STDIN:
            data = sys.stdin.buffer.read(most + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(most + 1)
    except OSError as error:
        raise ConfigError(f"{name} cannot be read: {error.strerror}.", f"Give {what}.") from None
    if len(data) > most:
        raise ConfigError(f"{name} is larger than {most >> 20} MiB.", f"Give {what}.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name} is not UTF-8: byte {error.start + 1} is wrong.", "Save it as UTF-8 text.") from None


def source_name(source: str) -> str:
    return "standard input" if source == STDIN else source


def write_text(target: Path, text: str) -> None:
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise cannot_write(target, error, "Give another file with -o.") from None


def parsed(text: str, name: str) -> list[Any]:
    """The documents in a text. JSON has one; other text is read as YAML, unless its name says otherwise."""
    json_wanted = name.endswith(".json")
    try:
        if json_wanted or text.lstrip().startswith(("{", "[")):
            try:
                return [parse_json(text)]
            except ValueError:
                if json_wanted:
                    raise
        return list(_documents(text))
    except ValueError as error:
        raise ConfigError(f"{name} is not valid {'JSON' if json_wanted else 'YAML'}: {error}.") from None


def yaml_text(data: dict[str, Any]) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=sys.maxsize)


def json_text(data: dict[str, Any]) -> str:
    import json

    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _documents(text: str) -> Iterator[Any]:
    for start, end, line in _bounds(text):
        # It has as many lines before it as in the whole text, so that an error names the right one.
        document = parse_yaml("\n" * line + text[start:end], DEEPEST)
        if document is not None:
            yield document


def _bounds(text: str) -> list[tuple[int, int, int]]:
    """The start, end and first line of each document. An alias could turn a few lines into more than memory holds."""
    found: list[tuple[int, int, int]] = []
    start, line = 0, 0
    library: Any = yaml
    try:
        for event in library.parse(text, FastestLoader):
            if isinstance(event, yaml.AliasEvent):
                place = f"line {event.start_mark.line + 1}"
                raise ValueError(f"tasks have no use for an alias at {place}")  # noqa: TRY004 - a bad value
            if isinstance(event, yaml.DocumentStartEvent):
                line = event.start_mark.line
                start = event.start_mark.index - event.start_mark.column
            elif isinstance(event, yaml.DocumentEndEvent):
                found.append((start, event.end_mark.index, line))
    except yaml.YAMLError:
        # The reader of the whole text has a better message.
        return [(0, len(text), 0)]
    return found


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - PyYAML's signature
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _text_node(dumper: Any, text: str) -> yaml.ScalarNode:
    """The text as YAML: plain only if every reader reads it as text; several lines as a block."""
    is_block = "\n" in text and not _OTHER_BREAKS.search(text)
    style = "|" if is_block else None if _PLAIN.fullmatch(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _text_node)
