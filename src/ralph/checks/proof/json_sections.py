"""JSON files in which only some keys judge: package.json and its relatives.

The change's commands and imports stay if the base has none of that name: a new one judges nothing yet. Those that the
base's own commands would start by themselves are dropped: `pretest` before `test`, `test:fast` if `test` runs `test:*`.
"""

import json
import re
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from typing import Any, NoReturn, cast

COMMANDS = frozenset({"scripts", "tasks", "imports"})
"""The keys that hold commands by name, or files by the names under which code imports them."""
COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
WITH_STAR = re.compile(r"[\w:.@/-]*\*[\w:.@/*-]*")
HALF_CHARACTER = re.compile("[\ud800-\udfff]")
INDENT = re.compile(r'\n([ \t]+)"')


def read_json(text: str) -> dict[str, Any]:
    """The content of a file; a `ValueError` if it is not a JSON object."""
    data = json.loads(text or "{}", parse_constant=_refuse)
    if not isinstance(data, dict):
        raise ValueError("not an object")  # noqa: TRY004 (as json does with text that it cannot read)
    return cast("dict[str, Any]", data)


def read_jsonc(text: str) -> dict[str, Any]:
    """The content of JSON with comments, and with a comma before a closing bracket."""
    for superfluous in (COMMENT, LAST_COMMA):
        text = superfluous.sub(lambda found: found[1] or "", text)
    return read_json(text)


def exchanged(base: Mapping[str, Any], head: Mapping[str, Any], keys: Collection[str]) -> dict[str, Any]:
    """The change's values with the base's under these keys, in the change's order."""
    result = {key: base[key] if key in keys else value for key, value in head.items() if key not in keys or key in base}
    result |= {key: base[key] for key in base if key in keys}
    for key in COMMANDS.intersection(keys):
        if added := _added_commands(_commands(base, key), _commands(head, key)):
            result[key] = {**_commands(base, key), **added}
    return result


def written(data: Mapping[str, Any], like: str) -> str:
    """The JSON text, indented like another one."""
    found = INDENT.search(like)
    text = json.dumps(data, indent=found[1] if found else None, ensure_ascii=False)
    if HALF_CHARACTER.search(text):
        text = json.dumps(data, indent=found[1] if found else None)
    return text + "\n" * like.endswith("\n")


def _commands(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _added_commands(base: Mapping[str, Any], head: Mapping[str, Any]) -> dict[str, Any]:
    started = {f"{when}{name}" for name in base for when in ("pre", "post")}
    patterns = [found.removeprefix("npm:") for text in base.values() for found in WITH_STAR.findall(str(text))]
    return {
        name: command
        for name, command in head.items()
        if name not in base
        and name not in started
        and not name.startswith(("pre-", "post-"))  # composer runs those at its events
        and not any(fnmatchcase(name, pattern) for pattern in patterns)
    }


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
