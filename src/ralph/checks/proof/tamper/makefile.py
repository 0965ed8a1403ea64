"""Makefiles and justfiles."""

import re
from collections.abc import Iterator

from ralph.checks.proof.tamper.commands import (
    HOUSEKEEPING,
    NEEDED,
    attributed,
    code_lines,
    command_case,
    is_nothing,
    options,
    overlong,
    program,
    swallowed,
)
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.sheet import Case, Hit, Sheet
from ralph.checks.proof.tamper.source import Source

TOOLS = r"(?:PYTEST|PYTHON3?|NODE|NPM|NPX|JEST|VITEST|GO|CARGO|RUFF|MYPY|TOX|MAKE|PHPUNIT|RSPEC|RUNNER|TEST_CMD|CHECK)"
LINES = Table(
    (
        Rule("no-op", "block", r"^\.(?:IGNORE|ONESHELL\s*:\s*ignore)\b", "{}: failures are ignored"),
        Rule(
            "no-op",
            "block",
            r"^\s*(?:export\s+)?(?:override\s+)?SHELL\s*[:?]?=\s*(?!.*\b(?:ba|da|z|k|a)?sh\b)\S+",
            "{} runs no command",
        ),
        Rule(
            "no-op",
            "block",
            r"^\s*(?:export\s+)?MAKEFLAGS\s*[:?+]?=.*(?:-\w*[intqk]\b|--(?:ignore-errors|just-print|dry-run|touch"
            r"|question))",
            "{}: commands are not run, or their failure is ignored",
        ),
        Rule(
            "no-op",
            "block",
            rf"^\s*(?:export\s+)?(?:override\s+)?{TOOLS}\s*[:?]?=\s*(?:true|:|/bin/true|echo\b.*|@.*)\s*$",
            "{} stands in for a program",
        ),
        Rule("path-shim", "warn", r"^\s*(?:export\s+)?PATH\s*[:?+]?=", "{} changes which programs are found"),
        Rule(
            "no-op",
            "block",
            r"^set\s+(?:windows-)?shell\s*:=\s*\[\s*[\"'](?!\w*sh\b|/[\w/]*sh\b|powershell|pwsh|cmd)",
            "{} runs no command",
        ),
    )
)
TARGET = re.compile(r"^(?![\s#.]|\w+\s*[:?+]?=)([^\s:=]+(?:[ \t]+[^\s:=]+)*)\s*:{1,2}(?!=)(.*)$")


class MakefileReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self._lines = list(code_lines(source))

    def sheet(self) -> Sheet:
        cases = list(self._cases())
        return Sheet(hits=[*self._hits(), *attributed(self._of_commands(), cases)], cases=cases)

    def _hits(self) -> Iterator[Hit]:
        """The hits that are about the whole file."""
        yield from overlong(self.source)
        for number, line in self._lines:
            for rule, found in LINES.found(line, self.source) if not _is_recipe(line) else ():
                yield Hit(rule.rule, rule.level, rule.text.format(found[0].strip()), number, line.strip())

    def _of_commands(self) -> Iterator[Hit]:
        """The hits that are about one command."""
        yield from options(self.source, self._lines)
        for number, line in self._lines:
            if not _is_recipe(line):
                continue
            if command := swallowed(line):
                yield Hit("no-op", "block", f"a failure of {command} is hidden", number, line.strip())
            elif re.match(r"\s+@?-", line) and not HOUSEKEEPING.fullmatch(program(line)) and not is_nothing(line):
                yield Hit("no-op", "block", "the dash hides a failure of this command", number, line.strip())

    def _cases(self) -> Iterator[Case]:
        """The recipe of each target, its prerequisites first."""
        name, begun, commands = "", 0, list[tuple[int, str]]()
        for number, line in self._lines:
            if _is_recipe(line):
                if line.strip():
                    commands.append((number, line))
            elif found := TARGET.match(line):
                if name:
                    yield command_case(name, begun, commands)
                name, begun, commands = found[1].strip(), number, list(_inline(number, found[2]))
        if name:
            yield command_case(name, begun, commands)


def _inline(number: int, rest: str) -> Iterator[tuple[int, str]]:
    needed, semicolon, command = rest.partition(";")
    for each in needed.split():
        yield number, f"{NEEDED}{each}"
    if semicolon:
        yield number, command


def _is_recipe(line: str) -> bool:
    return line[:1] in ("\t", " ")
