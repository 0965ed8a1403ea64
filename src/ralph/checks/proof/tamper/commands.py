"""What shell scripts, makefiles and scripts of package.json have in common: commands, and how a failure is hidden."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from ralph.checks.proof.tamper.rules import Rule, Table
from ralph.checks.proof.tamper.sheet import Case, Check, Details, Hit
from ralph.checks.proof.tamper.source import LONGEST_LINE, Source
from ralph.checks.proof.tamper.tokens import hash_tokens

NOTHING = re.compile(
    r"[@+-]*\s*(?:(?:true|:|/bin/true|/usr/bin/true|pwd|date|sleep|echo|printf|exit(?:\s+0)?|return(?:\s+0)?"
    r"|@:)(?:\s.*)?)?"
)
"""A command that cannot fail."""
PARTS = re.compile(r"&&|\|\||;|\|")
SWALLOWED = re.compile(
    r"(?P<command>.+?)\s*(?:\|\|\s*(?:true|:|/bin/true|exit\s+0|return\s+0|echo\b.*|printf\b.*|\[\s*\$+\?.*)"
    r"|;\s*(?:true|:|exit\s+0))"
    r"\s*[)};\"'`]*\s*;?\s*$"
)
FAILS_STILL = re.compile(r"\b(?:exit|return)\s+(?:[1-9]|\$)|\bfalse\b")
HOUSEKEEPING = re.compile(
    r"rm|rmdir|mkdir|mv|cp|ln|touch|chmod|chown|kill|killall|pkill|pgrep|wait|docker|podman|umount|mount|command"
    r"|which|type"
    r"|hash|unset|source|\.|deactivate|cd|pushd|popd|read|grep|apt|apt-get|brew|curl|wget|stty|tput|ulimit|ps|lsof"
    r"|find|test|\["
)
"""Commands that may fail without losing a check."""
LEADING = re.compile(
    r"^(?:[@+(){\s-]|\w+=\"[^\"]*\"\s|\w+='[^']*'\s|\w+=\$\([^)]*\)\s|\w+=\S*\s|(?:if|then|else|do|time|env|exec"
    r"|sudo|nohup|!)\s)+"
)
NEEDED = "$(MAKE) "
"""The prefix of a target that another target needs."""
COMMENT = re.compile(r"(?:^|\s)#")

PYTEST = r"(?:(?:pytest|py\.test|addopts)\b[^\n;&|]*[\s\"'=]|^\s*[\"'])"
"""What comes before an option of pytest: the program, its setting, or the beginning of an entry in a list."""
OPTIONS = Table(
    (
        Rule("no-op", "block", r"--collect-only\b|--co\b(?!\w|-|=|m)", "{}: the tests are listed, not run"),
        Rule(
            "no-op",
            "block",
            r"\bgo\s+test\b[^\n;&|]*\s-(?:list|c|n)\b|\bcargo\s+(?:nextest|test)\b[^\n;&|]*\s--(?:no-run|list)\b",
            "{}: the tests are not run",
        ),
        Rule(
            "narrowed",
            "block",
            rf"{PYTEST}(--(?:deselect|ignore|ignore-glob)\b[=\s\"']\S*)",
            "{} leaves tests out",
        ),
        Rule(
            "narrowed",
            "block",
            rf"{PYTEST}(-[km](?:[\s=]\S+|[\"']))",
            "{} leaves tests out",
        ),
        # Without its cache, pytest only forgets which tests failed before.
        Rule(
            "narrowed", "block", r"(?<![\w-])-p[\s=]*no:(?!cacheprovider\b)\w+", "{} switches a part of the runner off"
        ),
        Rule("narrowed", "block", r"(?<![\w-])--(?:lf|last-failed|sw|stepwise)\b", "{} leaves tests out"),
        Rule(
            "narrowed",
            "block",
            r"(?<![\w-])--(?:testNamePattern|testPathIgnorePatterns|test-name-pattern|test-skip-pattern|test-only"
            r"|onlyChanged|only-changed)\b[=\s]?\S*",
            "{} leaves tests out",
        ),
        Rule(
            "narrowed",
            "block",
            r"--(?:passWithNoTests|pass-with-no-tests|allow-no-tests|suppress-no-test-exit-code|no-tests=pass)\b",
            "{}: it also passes if no test runs",
        ),
        Rule("narrowed", "block", r"\bgo\s+test\b[^\n;&|]*\s-(?:run|skip|short)\b\S*", "{} leaves tests out"),
        Rule("narrowed", "block", r"\bcargo\s+test\b[^\n;&|]*\s--\s[^\n;&|]*--skip\b", "{} leaves tests out"),
        Rule("narrowed", "block", r"\bunittest\b[^\n;&|]*\s-[kp][\s=]\S+", "{} leaves tests out"),
        Rule("narrowed", "block", r"\bPYTEST_ADDOPTS\s*[:?+]?=", "{} changes what the runner does"),
        Rule("narrowed", "warn", r"--(?:cov-fail-under|max-warnings|fail-under)[=\s]\d+", "{} is another threshold"),
    )
)
"""Options that keep tests from running, wherever a command or its settings are written."""


def options(source: Source, lines: Iterable[tuple[int, str]]) -> Iterator[Hit]:
    for number, line in lines:
        for rule, found in OPTIONS.found(line, source):
            option = found[found.lastindex or 0].strip(" \"'")
            yield Hit(rule.rule, rule.level, rule.text.format(option), number, option)


def attributed(hits: Iterable[Hit], cases: Iterable[Case]) -> Iterator[Hit]:
    """The hits, each with the list of commands that its line is in: it is about that command alone."""
    owners = {check.line: case.full_name for case in cases for check in case.details.checks}
    for hit in hits:
        yield hit._replace(test=owners.get(hit.line, ""))


def overlong(source: Source) -> Iterator[Hit]:
    """Lines of which only the beginning was read."""
    for number, line in enumerate(source.lines, 1):
        if len(line) > LONGEST_LINE:
            yield Hit("unreadable", "warn", f"a line of {len(line)} characters is not read to its end", number, line)


def code_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines without comments; continued lines are one, with the number of the first."""
    waiting, begun = "", 0
    for number, line in enumerate(source.short_lines, 1):
        code = _without_comment(line)
        if not waiting:
            begun = number
        if code.endswith("\\") and len(waiting) < LONGEST_LINE:
            waiting += code[:-1] + " "
            continue
        yield begun, waiting + code
        waiting = ""
    if waiting:
        yield begun, waiting


def _without_comment(line: str) -> str:
    """The line without its comment. A `#` inside quotes begins none."""
    for found in COMMENT.finditer(line):
        before = line[: found.start()]
        if before.count('"') % 2 == 0 and before.count("'") % 2 == 0:
            return before
    return line


def swallowed(line: str) -> str:
    """The command whose failure this line hides; empty if it hides none that matters."""
    found = SWALLOWED.fullmatch(line.rstrip())
    if not found or FAILS_STILL.search(line):
        return ""
    command = PARTS.split(found["command"])[-1]
    return "" if HOUSEKEEPING.fullmatch(program(command)) or is_nothing(command) else command.strip()


def program(command: str) -> str:
    """The name of the program that a command starts."""
    word = LEADING.sub("", f"{command.strip()} ").split(" ", 1)[0]
    return word.rpartition("/")[2].strip("\"'`")


def is_nothing(command: str) -> bool:
    return all(NOTHING.fullmatch(part.strip()) for part in PARTS.split(command.strip()))


def command_case(name: str, line: int, commands: Sequence[tuple[int, str]]) -> Case:
    """A named list of commands."""
    body = "\n".join(command for _, command in commands).encode()
    return Case(
        name,
        "",
        line,
        body,
        tokens=hash_tokens,
        details=partial(_details, tuple(commands)),
        is_collected=False,
        is_command=True,
    )


def _details(commands: tuple[tuple[int, str], ...]) -> Details:
    checks = tuple(Check(command.strip().encode(), line, not is_nothing(command)) for line, command in commands)
    return Details(checks, tuple(check.key for check in checks), (False,) * len(checks))
