"""Workflows of CI systems and other judges in YAML. They run elsewhere, and new steps look like changed ones."""

from collections.abc import Iterator

from ralph.checks.proof.tamper.commands import code_lines, options, overlong, swallowed
from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.sheet import Hit, Sheet
from ralph.checks.proof.tamper.source import Source

LINES = Table(
    (
        Rule(
            "no-op",
            "warn",
            r"\b(?:continue-on-error|allow_failure|ignore_error|ignoreErrors)\s*:\s*(?:true|yes|on)\b",
            "{}: a failure is ignored",
        ),
        Rule("no-op", "warn", r"^\s*-?\s*(?:if|when)\s*:\s*['\"]?(?:\$\{\{\s*)?(?:false|never)\b", "{}: it never runs"),
        Rule(
            "no-op",
            "warn",
            r"^\s*-?\s*(?:run|script|cmd|entry)\s*:\s*['\"]?(?:true|:|exit 0|echo\b[^&|;]*)['\"]?\s*$",
            "{}: it does nothing",
        ),
        Rule("narrowed", "warn", r"^\s*(?:exclude|skip)\s*:\s*\S+", "{} leaves something out"),
    )
)


class WorkflowReader:
    def __init__(self, source: Source) -> None:
        self.source = source

    def sheet(self) -> Sheet:
        return Sheet(hits=list(self._hits())) if self.source.is_judge else Sheet()

    def _hits(self) -> Iterator[Hit]:
        lines = list(code_lines(self.source))
        yield from overlong(self.source)
        for hit in options(self.source, lines):
            yield hit._replace(level="warn")
        for number, line in lines:
            for rule, found in LINES.found(line, self.source):
                yield Hit(rule.rule, rule.level, rule.text.format(found[0].strip()), number, line.strip())
            if command := swallowed(line):
                yield Hit("no-op", "warn", f"a failure of {command} is hidden", number, line.strip())
