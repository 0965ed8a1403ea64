"""Other literals for languages whose compilers refuse a number that does not fit its type."""

import re

WHOLE = re.compile(r"(\d[\d_]*)([iu](?:8|16|32|64|128|size))?")
DECIMAL = re.compile(r"(\d[\d_]*)(\.\d+)(f32|f64)?")
TRUTH = {"true": "false", "false": "true"}


def other_literal(kind: str, text: str, word: str) -> str:
    """Another literal of the same type; empty if there is none that certainly fits.

    A number is decreased by one, because one less fits wherever the number does.
    """
    if text in TRUTH:
        return TRUTH[text]
    if "string" in kind:
        return f'"{word}"' if text.startswith('"') else ""
    if (found := WHOLE.fullmatch(text)) and not re.match(r"0\d", text):
        number = int(found[1].replace("_", ""))
        return f"{number - 1 if number else 1}{found[2] or ''}"
    if found := DECIMAL.fullmatch(text):
        return f"{int(found[1].replace('_', '')) + 1}{found[2]}{found[3] or ''}"
    return ""
