"""The requested object in what a model said. Only errors that cannot change the meaning are fixed."""

import json
import re
from typing import Any, TypeVar

import msgspec
from msgspec.structs import fields

T = TypeVar("T", bound=msgspec.Struct)

TRAILING_COMMA = re.compile(r",\s*[}\]]")
STRING_OR_BRACE = re.compile(r'"(?:\\.|[^"\\\n])*"|[{}]')
LONGEST = 1_000_000
"""How many characters at the end of a text are read: no answer is longer, or so far from the end."""

_json = json.JSONDecoder()


class Unusable(Exception):
    """Why the text is not an answer, in words that help a model to correct it."""


def read_answer(text: str, kind: type[T]) -> T:
    """The only object in the text that fits. Words and code fences around it do not matter; a second answer does.

    A struct may name further forms in `also`: what fits one of those is converted by its own `answer`.
    """
    objects, problem = _objects(text[-LONGEST:])
    answers: list[T] = []
    for found in objects:
        try:
            answer = _converted(found, kind)
            msgspec.json.encode(answer)
        except UnicodeEncodeError:
            problem = "it contains half of a surrogate pair, which is not a character"
        except msgspec.ValidationError as error:
            problem = str(error)
        else:
            answers += [] if answer in answers else [answer]
    if len(answers) > 1:
        raise Unusable(f"it holds {len(answers)} different answers instead of one")
    if not answers:
        raise Unusable(problem or ("it contains no JSON object" if text.strip() else "it is empty"))
    return answers[0]


def _converted(found: dict[str, Any], kind: type[T]) -> T:
    for other in getattr(kind, "also", ()):
        try:
            return _fitting(found, other).answer()
        except msgspec.ValidationError:
            continue
    return _fitting(found, kind)


def _fitting(found: dict[str, Any], kind: type[Any]) -> Any:
    names = {field.encode_name for field in fields(kind)}
    if not names & found.keys():
        # Defaults would turn it into an answer that nobody gave.
        raise msgspec.ValidationError(f"it has none of the fields {', '.join(sorted(names))}")
    return msgspec.convert(found, kind)


def _objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """The outermost JSON objects in order, and what is wrong with one that cannot be read."""
    found: list[dict[str, Any]] = []
    problem = ""
    end = 0
    while (start := text.find("{", end)) >= 0:
        try:
            value, end = _decoded(text, start)
            found.append(value)
        except (ValueError, RecursionError) as error:
            # The objects inside it do not count: a part of a broken answer does not say the same as the whole.
            end = _closed(text, start)
            problem = f"it is not valid JSON: {error}"
    return found, problem


def _decoded(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The object at this position. Commas before a closing bracket become blanks, so that all positions stay the
    same.
    """
    while True:
        try:
            return _json.raw_decode(text, start)
        except json.JSONDecodeError as error:
            comma = text.rfind(",", start, error.pos + 1)
            if comma < 0 or not (found := TRAILING_COMMA.match(text, comma)) or found.end() <= error.pos:
                raise
            text = f"{text[:comma]} {text[comma + 1 :]}"


def _closed(text: str, start: int) -> int:
    """The position where the brace that opens here is closed; the end of the text if it never is."""
    depth = 0
    for token in STRING_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return len(text)
