"""The beginnings of a project's commands by which an agent's permission rules recognise them: `make test`, `go
test`.
"""

import re
import shlex
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path

# There are no brackets, quotes, commas or variables: the agents' rules have no syntax for them.
PLAIN = re.compile(r"[\w./+@%:-]+")
ASSIGNMENT = re.compile(r"\w+=")
KEYWORDS = frozenset({"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}"})
INTERPRETER = re.compile(r"(ba|da|k|z|fi)?sh|(python|pypy|ruby|perl|php)[\d.]*|node|deno|bun|java|lua")
"""Programs that run any code: they are allowed only with the script or module that the project names."""
TOO_WIDE = frozenset(
    {
        *("for", "case", "cd", "export", "set", "source", ".", "eval", "exec"),
        *("env", "sudo", "doas", "time", "timeout", "nice", "nohup"),
        *("xargs", "find", "rm", "mv", "cp", "dd", "chmod", "chown", "kill", "tee", "sed", "awk"),
        *("curl", "wget", "ssh", "scp", "rsync", "docker", "podman", "kubectl", "git", "gh"),
        *("npx", "bunx", "uvx", "pipx", "uv run", "poetry run", "pdm run", "pipenv run", "bundle exec", "npm exec"),
    }
)
"""Beginnings that do not say what is run, or reach beyond the project: a rule for one of them allows far too much."""

WITH_SUBCOMMANDS = frozenset({"cargo", "go", "npm", "pnpm", "yarn", "dotnet", "mix", "poetry", "composer", "bundle"})
"""The programs whose subcommands Copilot distinguishes (tried: of make, just and uv it sees only the program)."""


def beginnings(commands: Iterable[str]) -> list[str]:
    """Each command up to its first option or path: the agent may add its own. Commands that cannot be named are left
    out.
    """
    found = (_beginning(words) for command in commands for words in _simple_commands(command))
    return list(dict.fromkeys(filter(None, found)))


def coarse_beginnings(commands: Iterable[str]) -> list[str]:
    """The programs alone, or with their subcommand, for an agent that distinguishes no more; none that runs any
    code.
    """
    found = (_coarse(beginning.split()) for beginning in beginnings(commands))
    return list(dict.fromkeys(filter(None, found)))


def _coarse(words: list[str]) -> str:
    if _runs_any_code(words[0]):
        return ""
    return " ".join(words[: 2 if words[0] in WITH_SUBCOMMANDS else 1])


def _simple_commands(command: str) -> Iterator[list[str]]:
    """The parts of `cd app && make test | tail`, each without its redirections."""
    for line in command.splitlines():
        words: list[str] = []
        for token in [*_tokens(line), ";"]:
            if token.strip("();&|"):
                words.append(token)
            else:
                yield _without_redirection(words)
                words = []


def _tokens(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return []


def _without_redirection(words: list[str]) -> list[str]:
    kept = list(takewhile(lambda word: not set(word) <= set("<>&"), words))
    # The number in `2>&1` is a separate word at this point.
    return kept[:-1] if len(kept) < len(words) and kept and kept[-1].isdigit() else kept


def _beginning(words: list[str]) -> str:
    while words and (words[0] in KEYWORDS or ASSIGNMENT.match(words[0])):
        words = words[1:]
    if not words or not PLAIN.fullmatch(words[0]):
        return ""
    taken = [words[0], *takewhile(_is_subcommand, words[1:])]
    if _runs_any_code(taken[-1]):
        taken += _script(words[len(taken) :])
    beginning = " ".join(taken)
    too_wide = beginning in TOO_WIDE or taken[0] in TOO_WIDE or _runs_any_code(taken[-1])
    return "" if too_wide else beginning


def _is_subcommand(word: str) -> bool:
    return bool(PLAIN.fullmatch(word)) and not word.startswith(("-", ".")) and "/" not in word


def _script(rest: list[str]) -> list[str]:
    """The file, or `-m` and the module; empty after any other option, such as `-c`."""
    named = rest[:2] if rest[:1] == ["-m"] else rest[:1]
    return named if named and _is_name(named[-1]) else []


def _is_name(word: str) -> bool:
    return bool(PLAIN.fullmatch(word)) and not word.startswith("-")


def _runs_any_code(word: str) -> bool:
    return bool(INTERPRETER.fullmatch(Path(word).name))
