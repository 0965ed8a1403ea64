"""How many tests ran, according to the last lines of a runner without an inventory. A skipped test did not run."""

import re
from collections.abc import Iterator, Mapping

from ralph.checks.proof.inventory.output import Output

CARGO = r"^test result: \w+\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed"
"""A summary of one test program: only together they describe the run."""
# Each pattern describes a whole run; if there are several in an output, the last one counts, as it does for people.
SUMMARIES: tuple["re.Pattern[str]", ...] = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^=*[ \t]*(?P<counts>\d{1,9} (?:passed|failed|skipped|error|xfailed|xpassed|deselected).*?) in [\d.]+s",
        r"^Ran (?P<total>\d{1,9}) tests? in .*(?:\n+(?:OK|FAILED) \((?P<details>.*)\))?",
        r"^Tests:[ \t]+(?P<counts>.*\d{1,9} total)$",
        r"^[ \t]*Tests  (?P<counts>.*\(\d{1,9}\))$",
        r"^[ \t]*(?P<passed>\d{1,9}) passing\b.*(?:\n[ \t]*\d{1,9} pending)?(?:\n[ \t]*(?P<failed>\d{1,9}) failing)?",
        r"^[#\u2139] pass (?P<passed>\d{1,9})\n[#\u2139] fail (?P<failed>\d{1,9})",
        CARGO,
        r"^[ \t]*Summary .*?(?P<total>\d{1,9}) tests? run:",
        r"^OK \((?P<total>\d{1,9}) tests?\b",
        r"^Tests: (?P<total>\d{1,9}), Assertions: \d{1,9}(?P<details>.*)",
        r"^(?:\[\w+\][ \t]+)?Tests run: (?P<total>\d{1,9}), Failures: \d{1,9}, Errors: \d{1,9}(?P<details>.*)",
        r"^\d{1,9}% tests passed, \d{1,9} tests? failed out of (?P<total>\d{1,9})",
        r"^(?P<total>\d{1,9}) (?:test|spec|example|run|scenario)s?\b(?P<details>.*\d{1,9} (?:failures?|failed).*)",
        r"^Executed (?P<total>\d{1,9}) tests?, with",
        r"^\[  PASSED  \] (?P<total>\d{1,9}) tests?\.",
        r"(?:Passed|Failed)![ \t]+- (?P<counts>Failed:[ \t]+\d{1,9}, Passed:[ \t]+\d{1,9}, Skipped:[ \t]+\d{1,9})",
        r"^Files=\d{1,9}, Tests=(?P<total>\d{1,9})",
        r"^(?:ok|FAILED) \| (?P<counts>\d{1,9} passed \| \d{1,9} failed)",
        r"^[ \t]*(?P<passed>\d{1,9}) tests? passed$(?:\n[ \t]*(?P<failed>\d{1,9}) tests? failed$)?",
        r"^(?:\w+: )?(?P<counts>\d{1,9} passed, \d{1,9} failed\b.*)$",
    )
)
RAN = re.compile(r"(\d{1,9}) (?:passed|failed|errors?|xfailed|xpassed)\b|(?:Passed|Failed):[ \t]+(\d{1,9})")
NOT_RUN = re.compile(
    r"(?:skipped|Skipped|Incomplete)[=:][ \t]*(\d{1,9})|(\d{1,9}) (?:skips?|skipped|pending|excluded)\b"
)


def count_of(output: Output) -> int | None:
    """The number in the last summary, or the sum of all of cargo's; None if no line looks like one."""
    text = output.last.decode(errors="replace")
    summaries = [found for pattern in SUMMARIES for found in pattern.finditer(text)]
    if not summaries:
        return None
    last = max(summaries, key=lambda found: found.start())
    counted = [found for found in summaries if found.re is last.re] if last.re.pattern == CARGO else [last]
    return sum(_number(found.groupdict(default="")) for found in counted)


def _number(told: Mapping[str, str]) -> int:
    if counts := told.get("counts"):
        return sum(_numbers(RAN, counts))
    if total := told.get("total"):
        return int(total) - sum(_numbers(NOT_RUN, told.get("details", "")))
    return int(told.get("passed") or 0) + int(told.get("failed") or 0)


def _numbers(pattern: "re.Pattern[str]", text: str) -> Iterator[int]:
    return (int(found[1] or found[2]) for found in pattern.finditer(text))
