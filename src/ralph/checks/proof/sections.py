"""Files in which only some sections judge: those sections, and the change's file with the base's judging sections.

So a new dependency stays, and a loosened limit is undone. If a file cannot be read, or its sections cannot be
distinguished, the base's whole file judges.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Any, NamedTuple, cast

from ralph.checks.proof import docstring_tests, go_modules
from ralph.checks.proof.json_sections import exchanged, read_json, read_jsonc, written
from ralph.checks.proof.judge_files import PRODUCT_SECTIONS, SECTIONS_OF_TOOLS, SHARED
from ralph.checks.proof.statements import INI, TOML, Language, Names, Statement

LONGEST = 1_000_000
"""The most characters of a file; a longer one judges as a whole."""
BYTE_ORDER_MARK = "\ufeff"


class Parts(NamedTuple):
    """The content of a file, as text that is equal if two files say the same."""

    judging: str
    rest: str


class CodeReader(NamedTuple):
    """The reader of a file that is not a list of settings."""

    judging_part: Callable[[str], str]
    merged: Callable[[str, str], str]


GO_MODULE = CodeReader(go_modules.judging_part, go_modules.merged)
PYTHON = CodeReader(docstring_tests.judging_part, docstring_tests.merged)


class JudgingNames:
    """The names of the judging sections in one kind of file."""

    def __init__(self, file: str, words: frozenset[str] = frozenset()) -> None:
        """`words` are used in judging scripts that read the file: a section of such a name is theirs."""
        between = "/" if file == "setup.cfg" else "."
        theirs = [_in_full(file, word) for word in words if _may_be_theirs(file, word)]
        wanted = [tuple(names.split(between)) for names in SHARED[file].split()]
        wanted += [tuple(names.split(".")) if file == "pyproject.toml" else (names,) for names in theirs]
        self.keys = {names[0] for names in wanted}
        self._whole = {names for names in wanted if "*" not in names[0]}
        self._above = {names[:count] for names in wanted for count in range(1, len(names))}
        self._patterns = re.compile("|".join(translate(names[0]) for names in wanted if "*" in names[0]) or "(?!)")

    def has(self, names: Names) -> bool:
        """Whether these names are those of a judging section, or lead into one."""
        if any(names[:count] in self._whole for count in range(1, len(names) + 1)):
            return True
        return bool(names) and self._patterns.match(names[0]) is not None

    def is_above(self, names: Names) -> bool:
        return names in self._above


def _may_be_theirs(file: str, word: str) -> bool:
    is_name = "*" not in word and not word.startswith("options.")
    return is_name and file in SECTIONS_OF_TOOLS and word not in PRODUCT_SECTIONS.split()


def _in_full(file: str, word: str) -> str:
    above = SECTIONS_OF_TOOLS[file]
    return word if word.startswith(above) else above + word


@lru_cache(maxsize=256)
def _judging(file: str, words: frozenset[str]) -> JudgingNames:
    return JudgingNames(file, words)


def judging_part(path: str, text: str, words: frozenset[str] = frozenset()) -> str:
    """The judging part of this file, without its formatting; empty if there is none."""
    if language := _of_code(path):
        return language.judging_part(text)
    try:
        return _File(path, words).parts(text).judging
    except (ValueError, RecursionError):
        return text


def merged(path: str, base_text: str | None, head_text: str, words: frozenset[str] = frozenset()) -> str:
    """The change's file with the base's judging sections; without a file of the base it has none."""
    base_text = base_text or ""
    if language := _of_code(path):
        is_same = language.judging_part(base_text) == language.judging_part(head_text)
        return head_text if is_same else language.merged(base_text, head_text)
    file = _File(path, words)
    try:
        if file.parts(base_text).judging == file.parts(head_text).judging:
            return head_text
        return file.merged(_without_mark(base_text), _without_mark(head_text))
    except (ValueError, RecursionError):
        return base_text


def _of_code(path: str) -> CodeReader | None:
    return GO_MODULE if path.endswith("go.mod") else PYTHON if path.endswith(".py") else None


class _File:
    """How one kind of file is read, and which of its sections judge."""

    def __init__(self, path: str, words: frozenset[str]) -> None:
        self._path = path
        self._judging = _judging(path.rpartition("/")[2], words)

    @property
    def _language(self) -> Language | None:
        """The language of its sections; None for JSON."""
        if self._path.endswith((".json", ".jsonc")):
            return None
        return INI if self._path.endswith(".cfg") else TOML

    def parts(self, text: str) -> Parts:
        if len(text) > LONGEST:
            raise ValueError("too long to be read")
        found, rest = _split(self._read(_without_mark(text)), self._judging)
        if text.startswith(BYTE_ORDER_MARK):  # some programs stop at it and go on without their settings
            found["byte order mark",] = True
        pairs = sorted((list(names), value) for names, value in found.items())
        return Parts(_normalised(pairs) if pairs else "", _normalised(rest))

    def merged(self, base_text: str, head_text: str) -> str:
        if language := self._language:
            return self._merged_sections(language, base_text, head_text)
        base, head = self._read(base_text), self._read(head_text)
        result = exchanged(base, head, self._judging.keys)
        return head_text if _normalised(result) == _normalised(head) else written(result, like=head_text)

    def _merged_sections(self, language: Language, base_text: str, head_text: str) -> str:
        """The merged file. Exchanging lines counts only if the result, read again, has one's judges and the other's
        rest.
        """
        text = "".join(_exchanged(list(language.cut(base_text)), language.cut(head_text), self._judging))
        if self.parts(text) != Parts(self.parts(base_text).judging, self.parts(head_text).rest):
            raise ValueError("the sections cannot be told apart")
        return text

    def _read(self, text: str) -> dict[str, Any]:
        if language := self._language:
            return language.read(text)
        return read_jsonc(text) if self._path.endswith(".jsonc") else read_json(text)


def _exchanged(base: Sequence[Statement], head: Iterator[Statement], judging: JudgingNames) -> Iterator[str]:
    """The change's statements without those that judge, and the base's, each as it was written."""
    single = dict[Names, list[str]]()
    for line in base:
        if judging.has(line.names) and not judging.has(line.section):
            single.setdefault(line.section, []).append(line.text)
    yield from single.pop((), ())
    for line in head:
        if not judging.has(line.names):
            yield line.text
            yield from single.pop(line.section, ()) if line.is_header else ()
    for line in base:
        if line.is_header and line.section in single:
            yield from (line.text, *single.pop(line.section))
    yield from (line.text for line in base if judging.has(line.section))


def _split(
    data: Mapping[str, Any], judging: JudgingNames, above: Names = ()
) -> tuple[dict[Names, Any], dict[str, Any]]:
    """The judging values by their names, and the rest without sections that contained only those."""
    found, rest = dict[Names, Any](), dict[str, Any]()
    for name, value in data.items():
        names = (*above, name)
        if judging.has(names):
            found[names] = value
        elif isinstance(value, dict) and judging.is_above(names):
            inside, others = _split(cast("dict[str, Any]", value), judging, names)
            found |= inside
            rest |= {name: others} if others else {}
        else:
            rest[name] = value
    return found, rest


def _without_mark(text: str) -> str:
    return text.removeprefix(BYTE_ORDER_MARK)


def _normalised(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)
