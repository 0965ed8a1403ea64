"""What a text runs: scripts, modules and task files, by the words that name them.

Only what is run counts: `python tools/verify.py` names a script, `shellcheck tools/deploy.sh` and `rm out.sh` do not.
"""

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from ralph.checks.proof.shell_words import DEEPEST, assignments, commands, expanded
from ralph.checks.proof.task_files import TASK_RUNNERS

How = Literal["shell", "program", "language", "module", "code", "import", "literal", "tasks", "tests"]
"""How a name is used: read by a shell; started by itself; run by a language; after `python -m`; after `python -c`;
imported by a script; in quotes in a script; with a task runner; given to a test runner."""
SHELL = re.compile(r"(?:ba|da|z|k|a|fi)?sh|run-parts|\$[({]?(?:SHELL|BASH|SH)[)}]?")
LANGUAGE = re.compile(
    r"python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript|julia|pwsh|go|coverage"
    r"|\$[({]?(?:PYTHON|PY|NODE|RUBY|PERL|PHP)\w*(?::-[^}]*)?[)}]?"
)
WRAPPER = re.compile(
    r"-|env|exec|time|nohup|command|builtin|nice|sudo|xargs|timeout|unbuffer|npx|bunx|uvx|setsid|stdbuf|strace|uv|poetry"
    r"|pipenv|hatch|pdm|rye|pixi|bundle|conda|mamba|direnv|dotenv|cross-env|caffeinate"
)
"""Words that are followed by the command that really runs."""
AFTER_A_WRAPPER = re.compile(r"-.*|\w+=.*|[\d.]+[smhd]?|run|exec", re.DOTALL)
LABEL = re.compile(r"[\w-]+:|\w+=.*", re.DOTALL)
RUNS_NOTHING = re.compile(r":|echo|printf|which|type|grep|rm|cp|mv|ln|mkdir|touch|cat|chmod|ls|git|cd|pushd|test|\[\[?")
LOOKS = re.compile(r":|echo|printf|grep|cat|ls|cd|test|\[\[?|set|exit|true|false")
TEST_RUNNER = re.compile(r"pytest|py\.test|_?mocha|ava|tap|jasmine|rspec|phpunit|bats|prove|behave|busted|--test")
RUN_FIRST = frozenset({"-r", "--require", "--import", "--loader", "--experimental-loader"})
FOLDER_OPTIONS = frozenset({"-C", "--directory", "--prefix", "--cwd", "--dir"})
GOES_TO = FOLDER_OPTIONS | {"cd", "pushd"}
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+([\w \t,(*]+)|import[ \t]+([\w \t.,]+))", re.MULTILINE
)
LITERAL = re.compile(r"\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|`([^`\n]{1,200})`")
MOST_LITERALS = 2000


class Named(NamedTuple):
    how: How
    word: str
    args: tuple[str, ...] = ()
    is_read: bool = False
    """Whether its output is read. If so, the program may be what is judged."""


class Reading(NamedTuple):
    """What a text names, the folders it changes to, and those where it looks for programs."""

    names: tuple[Named, ...]
    folders: tuple[str, ...] = ()
    search_path: tuple[str, ...] = ()
    quoted: frozenset[str] = frozenset()
    """The single words in quotes in a program, such as the names of sections that it reads."""


def read_shell(text: str, depth: int = 0) -> Reading:
    """What the commands of a text name."""
    found = commands(text)
    variables = assignments(found)
    names, folders = list[Named](), list[str]()
    for words, is_read in ((words, each.is_read) for each in found for words in expanded(each.words, variables)):
        folders += [folder for word, folder in pairwise(words) if word in GOES_TO]
        for name in _names(words):
            if name.how != "code" or not SHELL.fullmatch(name.args[0]):
                names.append(name._replace(is_read=is_read))
            elif depth < DEEPEST:
                names += read_shell(name.word, depth + 1).names
    search_path = (part for value in variables.get("PATH", ()) for part in value.split(":"))
    return Reading(tuple(dict.fromkeys(names)), tuple(folders), tuple(filter(None, search_path)))


def starts_nothing(text: str) -> bool:
    """Whether a script only reads files, with grep, test and the like."""
    return all(not words or LOOKS.fullmatch(words[0]) for words in (_unwrapped(each.words) for each in commands(text)))


def _names(words: list[str]) -> Iterator[Named]:
    words = _unwrapped(words)
    if not words or RUNS_NOTHING.fullmatch(words[0]):
        return
    yield from (Named("tasks", _base(word), tuple(words)) for word in words if _base(word) in TASK_RUNNERS)
    yield from _test_names(words)
    yield from _program_names(words)


def _test_names(words: list[str]) -> Iterator[Named]:
    runner = next((position for position, word in enumerate(words) if TEST_RUNNER.fullmatch(_base(word))), len(words))
    if not any("doctest" in word for word in words):
        args = (word for word in words[runner + 1 :] if not word.startswith("-"))
        yield from (Named("tests", word.partition("::")[0]) for word in args)


def _program_names(words: list[str]) -> Iterator[Named]:
    if words[0] in {".", "source"}:
        yield from (Named("shell", word) for word in words[1:2])
        return
    if "/" in words[0]:
        yield Named("program", words[0])
    for position, program in enumerate(map(_base, words)):
        if SHELL.fullmatch(program):
            yield from _shell_names(program, words[position + 1 :])
            return
        if LANGUAGE.fullmatch(program):
            yield from _language_names(program, words[position + 1 :])
            return
    if "/" not in words[0]:
        yield Named("language" if "." in words[0] else "program", words[0])


def _unwrapped(words: list[str]) -> list[str]:
    wrapped = False
    while words and (
        WRAPPER.fullmatch(words[0]) or LABEL.fullmatch(words[0]) or (wrapped and AFTER_A_WRAPPER.fullmatch(words[0]))
    ):
        wrapped = wrapped or WRAPPER.fullmatch(words[0]) is not None
        words = words[1:]
    return words


def _shell_names(shell: str, args: list[str]) -> Iterator[Named]:
    code = next((value for option, value in pairwise(args) if re.fullmatch(r"-\w*c", option)), None)
    script = next((arg for arg in args if not arg.startswith(("-", "+")) and arg != "pipefail"), None)
    if code is not None:
        yield Named("code", code, (shell,))
    elif script is not None:
        yield Named("shell", f"{script}/*" if shell == "run-parts" else script)


def _language_names(language: str, args: list[str]) -> Iterator[Named]:
    if language == "go" and args[:1] != ["run"]:
        return
    rest = iter(args)
    for arg in rest:
        if arg == "-m":
            module = next(rest, "")
            yield Named("module", module)
            yield from _language_names(module, list(rest)) if module == "coverage" else ()
        elif arg in {"-c", "-e", "--eval"}:
            yield Named("code", next(rest, ""), (language,))
        elif arg in RUN_FIRST:
            yield Named("language", next(rest, ""))
            continue
        elif arg.startswith("-") or arg == "run":
            continue
        else:
            yield Named("language", arg)
        return


def read_code(text: str) -> Reading:
    """What a program in Python, JavaScript or the like imports, and its quoted texts."""
    names = list[Named]()
    for found in IMPORT.finditer(text):
        modules = filter(None, (module.split() for module in (found[1] or found[3]).split(",")))
        names += [Named("import", module[0], tuple(re.findall(r"\w+", found[2] or ""))) for module in modules]
    literals = [found[1] or found[2] or found[3] for found in islice(LITERAL.finditer(text), MOST_LITERALS)]
    for literal in literals:
        names += read_shell(literal).names if " " in literal else (Named("literal", literal, is_read=True),)
    return Reading(tuple(dict.fromkeys(names)), quoted=frozenset(word for word in literals if " " not in word))


def _base(word: str) -> str:
    """A program's name without its folder; a variable keeps its form."""
    return word if word.startswith("$") else word.rpartition("/")[2] or word
