"""Cutting TOML and INI text into statements, so that some can be moved elsewhere exactly as they were written.

Both readers raise a `ValueError` for text that they and another program's reader could understand differently.
"""

import configparser
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

TOML_TOKEN = re.compile(
    r'''"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}'''
    r"""|'''(?:[^']|'{1,2}(?!'))*'{3,5}"""
    r"""|"(?:[^"\\\n]|\\.)*"|'[^'\n]*\'|\#[^\n]*|[\[{]|[\]}]|\n|[^"'\#\[\]{}\n]+|.""",
    re.DOTALL,
)
INI_HEADER = re.compile(r"\[([^\[\]#;]+)\]\s*(?:[#;].*)?")
INI_KEY = re.compile(r"[^\s#;\[=:][^=:]*")
NO_DEFAULTS = "\0"


Names = tuple[str, ...]
"""The path from the top of a file to a value."""


class Statement(NamedTuple):
    """A header, or a key with its value, or blank lines and comments."""

    names: Names
    """The path of its value; for comments that of their section."""
    section: Names
    is_header: bool
    text: str


class Language(NamedTuple):
    """A way to write sections with keys."""

    read: Callable[[str], dict[str, Any]]
    cut: Callable[[str], Iterator[Statement]]


def cut_toml(text: str) -> Iterator[Statement]:
    section: Names = ()
    for lines in _toml_statements(text):
        start = lines.lstrip()[:1]
        is_header = start == "["
        if is_header:
            section = _only_path(tomllib.loads(lines))
        names = section if is_header or start in {"", "#"} else section + _only_path(tomllib.loads(lines))
        yield Statement(names, section, is_header, lines)


def _toml_statements(text: str) -> Iterator[str]:
    """The statements. Each goes to the end of a line at which no bracket is open."""
    begin = depth = 0
    for token in TOML_TOKEN.finditer(text):
        character = token[0]
        if character in {"[", "{"}:
            depth += 1
        elif character in {"]", "}"}:
            depth -= 1
        elif character == "\n" and depth == 0:
            yield text[begin : token.end()]
            begin = token.end()
    if begin < len(text):
        yield f"{text[begin:]}\n"


def _only_path(data: Any) -> Names:
    """The names down to the first place with several values or none."""
    if isinstance(data, list):
        items = cast("list[Any]", data)
        return _only_path(items[0]) if len(items) == 1 else ()
    table = cast("dict[str, Any]", data if isinstance(data, dict) else {})
    if len(table) != 1:
        return ()
    [(name, value)] = table.items()
    return (name, *_only_path(value))


def read_ini(text: str) -> dict[str, Any]:
    """The sections as configparser reads them, unless another reader could read others."""
    if len(text.splitlines()) != len(text.removesuffix("\n").split("\n")) and text:
        raise ValueError("characters that end a line for some programs only")
    parser = configparser.RawConfigParser(default_section=NO_DEFAULTS, allow_no_value=True)
    parser.optionxform = str  # pyright: ignore[reportAttributeAccessIssue]
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(str(error)) from error
    if parser.sections() != [line.section[0] for line in cut_ini(text) if line.is_header]:
        raise ValueError("a line that is a section for some programs only")
    return {name: dict(parser.items(name)) for name in parser.sections()}


def cut_ini(text: str) -> Iterator[Statement]:
    section: Names = ()
    names: Names = ()
    for line in text.removesuffix("\n").split("\n") if text else ():
        is_header = line.startswith("[")
        if is_header:
            found = INI_HEADER.fullmatch(line)
            if found is None:
                raise ValueError(f"not a section: {line}")
            section = names = (found[1],)
        elif key := INI_KEY.match(line):
            names = (*section, key[0].strip())
        yield Statement(names, section, is_header, f"{line}\n")


TOML = Language(tomllib.loads, cut_toml)
INI = Language(read_ini, cut_ini)
