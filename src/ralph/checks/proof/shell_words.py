"""Reading shell text far enough to see what it runs: its commands as lists of words, and the values of variables.

It is not a shell: all branches are taken, loops run once with every word, and what is known only at run time stays as
it is written. Invalid text gives some words, never an error.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import dropwhile, takewhile, zip_longest
from typing import NamedTuple, cast

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+|\\\n)|(?P<redirection>\d*[<>]+&?\d*-?)"""
    r"""|(?P<comment>\#[^\n]*)"""
    r"""|(?P<part>\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}\n]*\}|\$\w+|[^\s\\'"`;&|(){}$<>#][^\s\\'"`;&|(){}$<>]*)"""
    r"""|(?P<quoted>'[^']*'|"(?:[^"\\]|\\.)*")"""
    r"""|\\(?P<escaped>.)"""
    r"""|(?P<end>[;&|\n(){}`]+)"""
    r"""|(?P<other>.)""",
    re.DOTALL,
)
REDIRECTION = re.compile(r"\d*[<>]+&?\d*-?")
COMPARING = re.compile(r"\b(?:diff|cmp|comm|grep|jq|awk)\b")
LOGGING = frozenset({"tee", "cat", "head", "tail", "less", "ts"})
SUBSTITUTION = re.compile(r"\$\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`")
ASSIGNMENT = re.compile(r"(\w+)\+?=(.*)", re.DOTALL)
VARIABLE = re.compile(r"\$\{(\w+)[^}]*\}|\$\((\w+)\)|\$(\w+)")
KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "in", "function", "export", "local"})
UNKNOWN = "$_"
"""The placeholder for what is known only at run time."""
MOST_VALUES, MOST_STEPS, LONGEST, DEEPEST = 50, 200, 1000, 5

Variables = dict[str, list[str]]


class Command(NamedTuple):
    words: list[str]
    is_read: bool = False
    """Whether another command, a comparison or a variable uses its output."""


def commands(text: str, depth: int = 0) -> list[Command]:
    """The commands of a text, including those inside `$(...)`, without keywords before them."""
    found = list(_pieces(text))
    following = [_program(words) for words, _ in found[1:]]
    compares = COMPARING.search(text) is not None
    result = list[Command]()
    for (raw, end), reader in zip_longest(found, following):
        is_piped = "|" in end and "||" not in end and reader not in LOGGING
        words, is_written = _without_redirections(raw)
        result.append(Command(_without_keywords(words), depth > 0 or is_piped or (is_written and compares)))
    if depth < DEEPEST:
        for inner in SUBSTITUTION.finditer(text):
            result += commands(inner[1] or inner[2] or "", depth + 1)
    return result


def _pieces(text: str) -> Iterator[tuple[list[str], str]]:
    """The words up to the end of each command, and what ends it."""
    words, word = list[str](), list[str]()
    for token in TOKEN.finditer(f"{text}\n"):
        kind = token.lastgroup
        if kind in {"part", "other", "escaped"} or (kind == "comment" and word):
            word.append(token["escaped"] or token[0])
        elif kind == "quoted":
            word.append(token[0][1:-1])
        else:
            words += ["".join(word)] if word else []
            word.clear()
            words += [token[0]] if kind == "redirection" else []
            if kind == "end" and words:
                yield words, token[0]
                words = []


def _without_redirections(words: list[str]) -> tuple[list[str], bool]:
    """The words of a command, and whether it writes to a file."""
    kept, is_written, is_target = list[str](), False, False
    for word in words:
        if is_target:
            is_written = is_written or word != "/dev/null"
            is_target = False
        elif REDIRECTION.fullmatch(word):
            is_target = "&" not in word
        else:
            kept.append(word)
    return kept, is_written


def _program(words: list[str]) -> str:
    return next((word for word in words if word not in KEYWORDS), "")


def _without_keywords(words: list[str]) -> list[str]:
    return list(dropwhile(KEYWORDS.__contains__, words))


def assignments(found: Iterable[Command]) -> Variables:
    """The values that variables get anywhere: by `NAME=value` before a command, or by `for NAME in ...`."""
    values = Variables()
    for words, _ in found:
        if words[:1] == ["for"] and len(words) > 1:
            _assign(values, words[1], words[3:])
        for assignment in takewhile(bool, map(ASSIGNMENT.fullmatch, words)):
            _assign(values, cast("re.Match[str]", assignment)[1], [cast("re.Match[str]", assignment)[2]])
    return values


def _assign(values: Variables, name: str, words: list[str]) -> None:
    known = values.setdefault(name, [])
    for word in words:
        inner = SUBSTITUTION.search(word)
        possible = [SUBSTITUTION.sub(UNKNOWN, word), *(_listed(inner[1] or inner[2] or "") if inner else ())]
        # A value that names its own variable, as PATH does, would be replaced forever.
        known += [VARIABLE.sub(lambda found: "" if _name(found) == name else found[0], value) for value in possible]


def _listed(command: str) -> list[str]:
    """The files that a command lists, as far as its words show."""
    words = command.split()
    if words[:1] == ["find"]:
        return [f"{word.rstrip('/')}/**" for word in takewhile(lambda word: not word.startswith("-"), words[1:])]
    return [word for word in words if "*" in word]


def expanded(words: list[str], variables: Mapping[str, list[str]]) -> list[list[str]]:
    """The command once for each possible value of its variables, split where a shell would split it."""
    choices = [_values(word, variables) if "$" in word else [[word]] for word in words]
    most = max(map(len, choices), default=0)
    return [
        [part for choice in choices if choice for part in choice[min(turn, len(choice) - 1)]] for turn in range(most)
    ]


def _values(original: str, variables: Mapping[str, list[str]]) -> list[list[str]]:
    results, todo = dict[str, list[str]](), [original]
    for _ in range(MOST_STEPS):
        if not todo:
            break
        word = todo.pop(0)
        found = next((found for found in VARIABLE.finditer(word) if _name(found) in variables), None)
        if found is None or len(word) > LONGEST:
            results[word] = [word] if word == original else word.split()
        else:
            values = variables[_name(found)][:MOST_VALUES]
            todo += [word[: found.start()] + value + word[found.end() :] for value in values]
    return list(results.values())


def _name(found: "re.Match[str]") -> str:
    return found[1] or found[2] or found[3]
