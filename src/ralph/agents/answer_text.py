"""From what a model said to the object that was asked for. Only what cannot change the meaning is mended."""

import json
import re
from typing import Any, TypeVar

import msgspec
from msgspec.structs import fields

T = TypeVar("T", bound=msgspec.Struct)

TRAILING_COMMA = re.compile(r",\s*[}\]]")
STRING_OR_BRACE = re.compile(r'"(?:\\.|[^"\\\n])*"|[{}]')
LONGEST = 1_000_000
"""Characters at the end of a text: an answer is not longer, and does not stand before so much else."""

_json = json.JSONDecoder()


class Unusable(Exception):
    """Why it is no answer, in words that a model can do something with."""


def read_answer(text: str, kind: type[T]) -> T:
    """The only object in the text that fits. Words and code fences around it do not matter; a second answer does."""
    objects, problem = _objects(text[-LONGEST:])
    answers: list[T] = []
    for found in objects:
        try:
            answer = _converted(found, kind)
        except msgspec.ValidationError as error:
            problem = str(error)
        else:
            answers += [] if answer in answers else [answer]
    if len(answers) > 1:
        raise Unusable(f"it holds {len(answers)} different answers where one was asked for")
    if not answers:
        raise Unusable(problem or ("it holds no JSON object" if text.strip() else "it is empty"))
    return answers[0]


def _converted(found: dict[str, Any], kind: type[T]) -> T:
    names = {field.encode_name for field in fields(kind)}
    if not names & found.keys():
        # Defaults would make an answer of it that nobody gave.
        raise msgspec.ValidationError(f"it has none of the fields {', '.join(sorted(names))}")
    return msgspec.convert(found, kind)


def _objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """The outermost JSON objects in their order, and what is wrong with one that cannot be read."""
    found: list[dict[str, Any]] = []
    problem = ""
    end = 0
    while (start := text.find("{", end)) >= 0:
        try:
            value, end = _decoded(text, start)
            found.append(value)
        except (ValueError, RecursionError) as error:
            # Not what lies inside it: of a broken answer, a part says something else than the whole.
            end = _closed(text, start)
            problem = f"it is no valid JSON: {error}"
    return found, problem


def _decoded(text: str, start: int) -> tuple[dict[str, Any], int]:
    """Commas before a closing bracket become blanks, so that every place in the text stays where it is."""
    while True:
        try:
            return _json.raw_decode(text, start)
        except json.JSONDecodeError as error:
            comma = text.rfind(",", start, error.pos + 1)
            if comma < 0 or not (found := TRAILING_COMMA.match(text, comma)) or found.end() <= error.pos:
                raise
            text = f"{text[:comma]} {text[comma + 1 :]}"


def _closed(text: str, start: int) -> int:
    """Where the brace that opens here is closed again; the end of the text if it never is."""
    depth = 0
    for token in STRING_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return len(text)
