"""Shell scripts that judge. Other scripts may do anything."""

import re
from collections.abc import Iterator

from ralph.checks.proof.tamper.commands import attributed, code_lines, command_case, options, overlong, swallowed
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.sheet import Case, Hit, Sheet
from ralph.checks.proof.tamper.source import Source

TOOLS = r"pytest|python3?|node|npm|npx|go|cargo|make|exit|test|false|set"
LINES = Table(
    (
        Rule(
            "no-op",
            "block",
            r"\btrap\b[^\n]*\b(?:exit\s+0|exit|true|:)['\"]?\s+(?:EXIT|0|ERR)\b",
            "{}: a failure is hidden at the end",
        ),
        Rule(
            "no-op",
            "block",
            r"(?:^|[\s;&|])(?:alias\s+(?:TOOLS)=|function\s+(?:TOOLS)\b|(?:TOOLS)\s*\(\)\s*\{)".replace("TOOLS", TOOLS),
            "{} stands in for a program",
        ),
        Rule("path-shim", "warn", r"(?:^|[\s;])(?:export\s+)?PATH=", "{} changes which programs are found"),
    )
)
BACKGROUND = re.compile(
    r".*\b(?:pytest|test|check|lint|make|npm|go|cargo|python3?|node|tox|ruff|mypy)\b[^&|;]*[^&|;>]&\s*$"
)
PIPED = re.compile(
    r".*\b(?:pytest|make|npm|go test|cargo|python3?|node|tox)\b[^|]*[^|]\|\s*(?:tee|cat|head|tail|grep|sed)\b.*"
)
FUNCTION = re.compile(r"^\s*(?:function\s+)?([\w-]+)\s*\(\s*\)\s*\{?(.*)$|^\s*function\s+([\w-]+)\s*\{?(.*)$")
EXIT = re.compile(r"\s*(?:exit|exit\s+0)\s*;?\s*")


class ShellReader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self._lines = [(number, line) for number, line in code_lines(source) if line.strip()]
        self._stops = re.search(r"^\s*set\s+-\w*e|^#!.*\s-\w*e\b|-o\s+errexit", source.text, re.MULTILINE) is not None

    def sheet(self) -> Sheet:
        if not self.source.is_judge:
            return Sheet()
        cases = list(self._cases())
        return Sheet(hits=[*self._hits(), *attributed(self._of_commands(), cases)], cases=cases)

    def _hits(self) -> Iterator[Hit]:
        """The hits that are about the whole script."""
        yield from overlong(self.source)
        for number, line in self._lines:
            for rule, found in LINES.found(line, self.source):
                yield Hit(rule.rule, rule.level, rule.text.format(found[0].strip()), number, line.strip())
            if re.search(r"(?:^|[\s;])set\s+\+\w*e", line):
                yield self._goes_on(number, line)
        yield from self._early_ends()

    def _goes_on(self, number: int, line: str) -> Hit:
        is_brief = "$?" in self.source.text and re.search(r"\bset\s+-\w*e", self.source.text.partition(line)[2])
        return Hit("no-op", "warn" if is_brief else "block", "set +e: failures no longer end it", number, line.strip())

    def _of_commands(self) -> Iterator[Hit]:
        """The hits that are about one command."""
        yield from options(self.source, self._lines)
        for number, line in self._lines:
            yield from self._lost(number, line)

    def _lost(self, number: int, line: str) -> Iterator[Hit]:
        """The hits for a failure that is not reported."""
        if command := swallowed(line):
            yield Hit("no-op", "block", f"a failure of {command} is hidden", number, line.strip())
        elif BACKGROUND.fullmatch(line):
            yield Hit("no-op", "block", "a check in the background is not waited for", number, line.strip())
        elif PIPED.fullmatch(line) and "pipefail" not in self.source.text:
            yield Hit("no-op", "warn", "a pipe hides whether its first command fails", number, line.strip())

    def _early_ends(self) -> Iterator[Hit]:
        """The hits for `exit 0` before the end, or at the end of a script that continues after a failure."""
        last = self._lines[-1][0] if self._lines else 0
        for number, line in self._lines:
            if EXIT.fullmatch(line):
                is_inner = line[0].isspace()
                is_harmless_end = number == last and self._stops
                if not is_harmless_end:
                    yield Hit(
                        "no-op", "warn" if is_inner else "block", "it ends early with success", number, line.strip()
                    )

    def _cases(self) -> Iterator[Case]:
        """The functions of the script, and what it does outside of them."""
        outside: list[tuple[int, str]] = []
        lines = iter(self._lines)
        for number, line in lines:
            if found := FUNCTION.match(line):
                inside = (
                    [(number, (found[2] or found[4] or "").rpartition("}")[0])] if "}" in line else _until_brace(lines)
                )
                yield command_case(found[1] or found[3], number, inside)
            elif not re.match(r"\s*(?:set\s|#!|[\w]+=\S*$)", line):
                outside.append((number, line))
        yield command_case(self.source.name, 1, outside)


def _until_brace(lines: Iterator[tuple[int, str]]) -> list[tuple[int, str]]:
    inside: list[tuple[int, str]] = []
    for number, line in lines:
        if line.startswith("}"):
            break
        if line.strip() not in ("{", "}"):
            inside.append((number, line))
    return inside
